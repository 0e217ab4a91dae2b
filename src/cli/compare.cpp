#include "study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/text.hpp"
#include "interrupt.hpp"
#include "percentage.hpp"
#include "progress.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  TextOption threshold;
  JobFlags job;
  ColorFlag color;
  bool rerun = false, json = false;
};

void pair(study::Comparison& comparison, const sim::Spec& a, const sim::Spec& b, const JobFlags& flags) {
  if (!comparison.pairable) throw UserError("--rerun: theta, delay, seed and horizon must be the same, or there is nothing to pair");
  sim::RunOptions options;
  options.threads = asked_threads(flags.threads);
  const Interrupt interrupt;
  options.stop = interrupt.token();
  const auto replicas = static_cast<double>(std::min(a->replicas, b->replicas));
  ProgressBar bar(flags.progress.form(flags.quiet),
                  2 * replicas * static_cast<double>(a->horizon) * static_cast<double>(comparison.policies.size()));
  options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
  study::pair_by_rerun(comparison, a, b, options);
  if (options.stop.stop_requested()) throw UserError("interrupted: nothing was compared", ExitCode::interrupted);
}

ExitCode compare(const Flags& flags) {
  const report::Style style = flags.color.style();
  const double limit = percentage(flags.threshold, 0, "--threshold", "the regret");
  if (flags.folders.size() != 2) {
    throw UserError(
        fmt::format("compare: {} given; allowed are two that 'dbandit run --out' wrote", counted(flags.folders.size(), "folder")));
  }
  const report::StoredResult a = report::read_result(flags.folders[0]), b = report::read_result(flags.folders[1]);
  study::Comparison comparison = study::compare(a, b);
  if (flags.rerun && !comparison.identical) pair(comparison, a.spec, b.spec, flags.job);
  print(flags.json ? study::comparison_json(comparison, a, b, limit) : study::comparison_text(comparison, a, b, limit, style));
  const bool regressed = std::ranges::any_of(comparison.policies, [&](const auto& change) { return change.regressed(limit); });
  return regressed ? ExitCode::differs : ExitCode::done;
}

}  // namespace

Action declare_compare(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("RESULT", flags->folders, folder(), "two folders that 'run --out' wrote: A, then B");
  flags->threshold.declare(
      command, "--threshold", "PERCENT",
      "how much worse B may be than A, in percent (2 or 2%), before the exit code is 3; default 0: no worse beyond the interval",
      "Comparison");
  command.flag("--rerun", flags->rerun, "simulate both again in the same worlds, so that differences are paired", "Comparison");
  command.flag("--json", flags->json, "print one JSON document (dbandit.compare.v1)", "Output");
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return compare(*flags); };
}

}  // namespace dbandit::cli
