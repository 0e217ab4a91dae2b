#include "dbandit/sim/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/csv.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/report/json.hpp"
#include "dbandit/report/table.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "spec_flags.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  TextOption threads, target, out;
  ColorFlag color;
  ReportFlag report;
  bool json = false, csv = false, quiet = false;
};

/// nullptr: left to the program.
const kernel::Target* target(const TextOption& option, sim::Engine engine) {
  const std::string* name = option.value();
  if (name == nullptr || *name == "auto") return nullptr;
  const kernel::Target* target = kernel::find_target(*name);
  if (target == nullptr) {
    std::vector<std::string_view> names;
    for (const kernel::Target& known : kernel::targets()) names.push_back(known.name);
    throw UserError(fmt::format("--target: {} is not one of: {}", dbandit::quoted(*name), fmt::join(names, " ")));
  }
  if (!target->supported()) {
    throw UserError(fmt::format("--target: this CPU lacks {}, which '{}' needs; the best it has is '{}'", target->requirement, *name,
                                kernel::best_target().name));
  }
  if (engine == sim::Engine::reference)
    throw UserError(fmt::format("--target: '{}' is for the simd engine; the reference has none", *name));
  return target;
}

std::string rendered(const Flags& flags, const sim::Result& result, const report::Manifest& manifest, const report::Style& style) {
  if (flags.json) return report::result_json(result, manifest);
  if (flags.csv) return report::curve_csv(result);
  return report::result_table(result, style);
}

/// A result that was cut short is shown where it can be marked as such, and never stored: a curve file stands for its spec.
ExitCode interrupted(const Flags& flags, const sim::Result& result, const report::Manifest& manifest, const report::Style& style) {
  if (result.blocks_done > 0 && !flags.csv) print(rendered(flags, result, manifest, style));
  throw UserError(fmt::format("interrupted: results are partial, {} of {} replicas{}",
                              result.blocks_done > 0 ? result.stats.policies.front().regret.back().count : 0, result.spec.replicas,
                              flags.out.value() != nullptr ? "; nothing was written to --out" : ""),
                  ExitCode::interrupted);
}

ExitCode run(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.json && flags.csv) throw UserError("--json and --csv: choose one");
  if (flags.report.given() && flags.out.value() == nullptr) throw UserError("--report: needs --out DIR, where the page and its numbers go");
  flags.report.check();
  const sim::Spec spec = sim::finish(flags.spec.draft());
  sim::RunOptions options;
  options.threads = thread_count(flags.threads);
  options.target = target(flags.target, spec.engine);
  std::optional<report::Directory> directory;
  if (const std::string* out = flags.out.value()) directory.emplace(*out);

  const Interrupt interrupt;
  options.stop = interrupt.token();
  const auto result = [&] {
    ProgressBar bar(!flags.quiet,
                    static_cast<double>(spec.replicas) * static_cast<double>(spec.horizon) * static_cast<double>(spec.policies.size()));
    options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
    return sim::run(spec, options);
  }();

  const report::Manifest manifest = report::manifest(result);
  if (!result.complete) return interrupted(flags, result, manifest, style);
  if (directory) {
    const std::filesystem::path folder = *flags.out.value();
    directory->write(report::result_files(result, manifest));
    static_cast<void>(flags.report.write({&folder, 1}, folder));
  }
  if (!flags.quiet || !directory || flags.json || flags.csv) print(rendered(flags, result, manifest, style));
  return ExitCode::done;
}

}  // namespace

Action declare_run(CLI::App& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command);
  flags->threads.declare(command, "--threads", "N", "threads; 0, the default, is all cores; changes no number", "Simulation");
  flags->target.declare(command, "--target", "auto|avx512|avx2|sse2", "instruction set; changes no number; default auto", "Simulation");
  command.add_flag("--json", flags->json, "print one JSON document (dbandit.result.v1)")->group("Output");
  command.add_flag("--csv", flags->csv, "print the curves: policy,t,measure,mean,stderr,ci_low,ci_high")->group("Output");
  flags->out.declare(command, "--out", "DIR",
                     "write spec.toml, curve.csv, band.csv, distribution.csv, summary.json and manifest.json there", "Output");
  flags->report.declare(command);
  command.add_flag("--quiet", flags->quiet, "no progress bar, and no table when there is --out")->group("Output");
  flags->color.declare(command);
  return [flags] { return run(*flags); };
}

}  // namespace dbandit::cli
