#include "dbandit/sim/run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/text.hpp"
#include "dbandit/sim/draft.hpp"
#include "interrupt.hpp"
#include "page.hpp"
#include "report/advice.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "session.hpp"
#include "sim/machine.hpp"
#include "spec_flags.hpp"
#include "study/click_log.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  KeepFlags keep;
  JobFlags job;
  TextOption target, extend, log, log_replicas;
  ColorFlag color;
  ReportFlag report;
  bool json = false, csv = false;
};

std::string rendered(const Flags& flags, const sim::Result& result, const report::Manifest& manifest, const report::Style& style) {
  if (flags.json) return report::result_json(result, manifest);
  if (flags.csv) return report::curve_csv(result);
  return report::result_table(result, style);
}

/// The folder that the flags name, and whether there must be a run in it to continue.
struct Place {
  const std::string* folder = nullptr;
  bool continues = false;
};
Place place(const Flags& flags) {
  Place place;
  for (const std::string* given : {flags.keep.out(), flags.keep.resume(), flags.extend.value()}) {
    if (given == nullptr) continue;
    if (place.folder != nullptr) throw UserError("--out, --resume and --extend: choose one");
    place = {given, given != flags.keep.out()};
  }
  return place;
}

/// What is stored of a run that is continued, with what the flags say of it.
sim::Spec continued_spec(const Flags& flags, const sim::SpecDraft& draft, const std::optional<RunSession>& session) {
  const std::string folder = session->folder().string();
  if (!session->stored()) throw UserError(fmt::format("'{}': there is no checkpoint in it to continue from", folder));
  if (session->stored()->runs.size() != 1)
    throw UserError(fmt::format("'{}': holds a study; the command that began it continues it", folder));
  const sim::Spec& stored = session->stored()->runs.front().spec;
  sim::Spec spec(sim::merge({*stored}, draft));
  const bool extends = flags.extend.value() != nullptr;
  if (extends && (!draft.said.contains("replicas") || spec->replicas < stored->replicas)) {
    throw UserError(fmt::format("--extend: '{}' has {}; give more --replicas than that", folder, counted(stored->replicas, "replica")));
  }
  if (!extends && spec->replicas != stored->replicas && !sim::difference(stored, spec)) {
    throw UserError(
        fmt::format("'{}': holds a run with replicas = {}, not {}; --extend adds replicas", folder, stored->replicas, spec->replicas),
        ExitCode::mismatch);
  }
  return spec;
}

/// How many replicas are to be logged; 0: none.
std::uint64_t logged_replicas(const Flags& flags) {
  const std::string* text = flags.log_replicas.value();
  if (flags.log.value() == nullptr) {
    if (text != nullptr) throw UserError("--log-replicas: needs --log DIR, where the logs go");
    return 0;
  }
  const std::int64_t count = text == nullptr ? 1 : parse_number<std::int64_t>(*text).value_or(0);
  if (count < 1 || count > 1'000'000)
    throw UserError(fmt::format("--log-replicas: {} is not an integer from 1 to 1000000", dbandit::quoted(*text)));
  return static_cast<std::uint64_t>(count);
}

/// Before anything is simulated.
void check_log(const sim::Spec& spec, std::uint64_t replicas) {
  if (replicas == 0) return;
  if (static_cast<std::int64_t>(replicas) > spec->replicas) {
    throw UserError(fmt::format("--log-replicas: {} is more than the {} of the run", replicas, counted(spec->replicas, "replica")));
  }
  if (spec->horizon > study::kLongestLog) {
    throw UserError(fmt::format("--log: a horizon of {} is more than the {} rounds that are logged", spec->horizon, study::kLongestLog));
  }
}

/// A result that was cut short is shown where it can be marked as such; a curve file stands for its spec and is not written.
[[noreturn]] void interrupted(const Flags& flags, const JobOutcome& outcome, const std::string* folder, const report::Style& style) {
  const sim::Result& result = outcome.results.front();
  if (result.blocks_done > 0 && !flags.csv) {
    try {
      print(rendered(flags, result, report::manifest(result), style));
    } catch (const ReaderGone&) {
    } catch (const UserError&) {  // a connection that was dropped took its terminal along; what was stored matters more
    }
  }
  const std::string kept = folder == nullptr         ? ""
                           : result.blocks_done == 0 ? "; nothing was stored"
                                                     : fmt::format("; stored, 'dbandit run --resume {}' continues", *folder);
  throw UserError(fmt::format("interrupted: results are partial, {} of {}{}",
                              result.blocks_done > 0 ? result.stats.policies.front().regret.back().count : 0,
                              counted(result.spec->replicas, "replica"), kept),
                  ExitCode::interrupted);
}

ExitCode run(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.json && flags.csv) throw UserError("--json and --csv: choose one");
  const auto [folder, continues] = place(flags);
  if (flags.report.given() && folder == nullptr) throw UserError("--report: needs --out DIR, where the page and its numbers go");
  flags.report.check();
  const sim::Shard shard = flags.keep.shard();
  const bool is_whole = shard == sim::Shard{};
  const std::uint64_t logged = logged_replicas(flags);
  if (logged > 0 && !is_whole) throw UserError("--log and --shard: choose one; a shard need not have the first replicas");
  const sim::SpecDraft draft = flags.spec.draft();  // once: a pipe can be read but once
  std::optional<sim::Spec> given;
  if (!continues) given.emplace(draft);  // before anything is created
  if (!is_whole && given && (*given)->until) {
    throw UserError("--shard and --until: choose one; a shard does not know how precise the others are");
  }
  std::optional<RunSession> session;
  if (folder != nullptr) session.emplace(flags.keep, *folder, continues);
  const sim::Spec spec = given ? *given : continued_spec(flags, draft, session);
  const kernel::Target* const target = chosen_target(flags.target, spec.engine());
  check_log(spec, logged);
  if (session && !is_whole) {
    static_cast<void>(run_study({&spec, 1}, flags.job, flags.keep, *session, false, target));
    return ExitCode::done;
  }
  if (session) session->claim({&spec, 1});
  const bool is_silent = flags.job.quiet || flags.json || flags.csv;
  if (const auto line = is_silent ? std::nullopt : report::cost_advice(spec)) warn({&*line, 1});
  const JobOutcome outcome = run_job({&spec, 1}, flags.job, target, session ? &*session : nullptr);
  const sim::Result& result = outcome.results.front();
  if (!outcome.complete) interrupted(flags, outcome, folder, style);
  const report::Manifest manifest = report::manifest(result);
  std::string written;
  if (session) {
    const std::vector<report::File> files = report::result_files(result, manifest);
    session->write(files);
    session->finish();
    written = written_line(session->folder(), files);
  }
  if (logged > 0) {
    const Interrupt interrupt;
    static_cast<void>(study::write_click_logs(spec, logged, target, *flags.log.value(), interrupt.token()));
  }
  const std::string page = flags.report.given() ? flags.report.write({&session->folder(), 1}, session->folder()) : "";
  if (!flags.job.quiet || folder == nullptr || flags.json || flags.csv) print(rendered(flags, result, manifest, style));
  if (!flags.job.quiet && !flags.json && !flags.csv) {
    if (!written.empty()) print("\n" + written + page);
    if (session && session->was_finished()) note(fmt::format("'{}': was finished before; nothing was simulated", *folder));
    warn(report::advice(result));
    warn(report::thread_advice(sim::thread_count({.threads = asked_threads(flags.job.threads)}), sim::cores()));
  }
  return ExitCode::done;
}

}  // namespace

Action declare_run(Usage& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command);
  flags->target.declare(command, "--target", target_names(), "instruction set; changes no number; default auto", "Simulation");
  command.flag("--json", flags->json, "print one JSON document (dbandit.result.v1)", "Output");
  command.flag("--csv", flags->csv, "print the curves: policy,t,measure,mean,stderr,ci_low,ci_high", "Output");
  flags->keep.declare(command,
                      "write the results there (spec.toml, curve.csv, summary.json, manifest.json, …); store the state as the run goes");
  flags->extend.declare(command, "--extend", folder(), "as --resume, with more --replicas", "Output");
  flags->log.declare(command, "--log", folder(),
                     "write a log of the clicks there, POLICY.csv each (replica,arm,start,conversion,end), as 'dbandit fit' reads it",
                     "Output");
  flags->log_replicas.declare(command, "--log-replicas", "N", "of how many replicas, the first ones; default 1", "Output");
  flags->report.declare(command);
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return run(*flags); };
}

}  // namespace dbandit::cli
