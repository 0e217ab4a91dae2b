#include "dbandit/sim/run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/advice.hpp"
#include "dbandit/report/csv.hpp"
#include "dbandit/report/json.hpp"
#include "dbandit/report/table.hpp"
#include "dbandit/sim/shard.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "sitting.hpp"
#include "spec_flags.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  KeepFlags keep;
  TextOption threads, target;
  ColorFlag color;
  ReportFlag report;
  ProgressFlag progress;
  bool json = false, csv = false, quiet = false;
};

std::string rendered(const Flags& flags, const sim::Result& result, const report::Manifest& manifest, const report::Style& style) {
  if (flags.json) return report::result_json(result, manifest);
  if (flags.csv) return report::curve_csv(result);
  return report::result_table(result, style);
}

/// A result that was cut short is shown where it can be marked as such; a curve file stands for its spec and is not written.
ExitCode interrupted(const Flags& flags, Sitting& sitting, const sim::Result& result, const report::Style& style) {
  const std::string kept = sitting.keep(result);
  if (result.blocks_done > 0 && !flags.csv) {
    try {
      print(rendered(flags, result, report::manifest(result), style));
    } catch (const ReaderGone&) {
    } catch (const UserError&) {  // a connection that was dropped took its terminal along; what was stored matters more
    }
  }
  throw UserError(fmt::format("interrupted: results are partial, {} of {} replicas{}",
                              result.blocks_done > 0 ? result.stats.policies.front().regret.back().count : 0, result.spec->replicas, kept),
                  ExitCode::interrupted);
}

/// A part of the run, block by block; there is nothing to report before the parts are merged.
ExitCode run_shard(const Flags& flags, sim::Shard shard) {
  const sim::Spec spec(flags.spec.draft());
  if (spec->until) throw UserError("--shard and --until: choose one; a shard does not know how precise the others are");
  sim::RunOptions options;
  options.threads = asked_threads(flags.threads);
  options.target = chosen_target(flags.target, spec.engine());
  const report::Directory directory(*flags.keep.directory());
  sim::ShardFile file(*flags.keep.directory(), spec, shard, flags.keep.interval());
  if (!file.notice().empty()) note(file.notice());
  const sim::Plan plan = sim::plan(spec);
  const std::size_t blocks = shard.end(plan) - shard.begin(plan);
  const Interrupt interrupt;
  options.stop = interrupt.token();
  {
    ProgressBar bar(flags.progress.form(flags.quiet), static_cast<double>(spec->replicas / static_cast<std::int64_t>(shard.count)) *
                                                          static_cast<double>(spec->horizon) * static_cast<double>(spec->policies.size()));
    options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
    sim::run_blocks(spec, options, shard.begin(plan) + file.blocks_stored(), shard.end(plan),
                    [&](const sim::BlockOutcome& outcome) { file.add(outcome); });
  }
  file.flush();
  const std::string stored = fmt::format("shard {}/{}: {} of {} blocks are stored", shard.index, shard.count, file.blocks_stored(), blocks);
  if (file.blocks_stored() < blocks) throw UserError("interrupted: " + stored + "; the same command continues", ExitCode::interrupted);
  if (!flags.quiet) print(stored + "\n");
  return ExitCode::done;
}

ExitCode run(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.json && flags.csv) throw UserError("--json and --csv: choose one");
  if (flags.report.given() && flags.keep.directory() == nullptr) {
    throw UserError("--report: needs --out DIR, where the page and its numbers go");
  }
  flags.report.check();
  if (const auto shard = flags.keep.shard()) return run_shard(flags, *shard);
  Sitting sitting(flags.keep, flags.spec.draft());
  const sim::Spec& spec = sitting.spec();
  sim::RunOptions options;
  options.threads = asked_threads(flags.threads);
  options.target = chosen_target(flags.target, spec.engine());
  sitting.attach(options);
  const Interrupt interrupt;
  options.stop = interrupt.token();
  const auto result = [&] {
    ProgressBar bar(flags.progress.form(flags.quiet),
                    static_cast<double>(spec->replicas) * static_cast<double>(spec->horizon) * static_cast<double>(spec->policies.size()),
                    sitting.begun());
    options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
    return sim::run(spec, options);
  }();

  if (!result.complete) return interrupted(flags, sitting, result, style);
  const report::Manifest manifest = report::manifest(result);
  sitting.finish(result, manifest);
  if (flags.report.given()) {
    const std::filesystem::path folder = *flags.keep.directory();
    static_cast<void>(flags.report.write({&folder, 1}, folder));
  }
  if (!flags.quiet || flags.keep.directory() == nullptr || flags.json || flags.csv) print(rendered(flags, result, manifest, style));
  if (!flags.quiet && !flags.json && !flags.csv) {
    warn(report::advice(result));
    warn(report::thread_advice(sim::thread_count(options), sim::cores()));
  }
  return ExitCode::done;
}

}  // namespace

Action declare_run(CLI::App& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command);
  flags->threads.declare(command, "--threads", "N",
                         "threads; 0, the default, is one for each core that affinity and quota allow; changes no number", "Simulation");
  flags->target.declare(command, "--target", target_names(), "instruction set; changes no number; default auto", "Simulation");
  command.add_flag("--json", flags->json, "print one JSON document (dbandit.result.v1)")->group("Output");
  command.add_flag("--csv", flags->csv, "print the curves: policy,t,measure,mean,stderr,ci_low,ci_high")->group("Output");
  flags->keep.declare(command);
  flags->report.declare(command);
  command.add_flag("--quiet", flags->quiet, "no progress bar, no warnings, and no table when there is --out")->group("Output");
  flags->progress.declare(command);
  flags->color.declare(command);
  return [flags] { return run(*flags); };
}

}  // namespace dbandit::cli
