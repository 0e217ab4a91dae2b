#include <algorithm>
#include <memory>

#include "command.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "spec_flags.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  bool json = false;
  ColorFlag color;
};

ExitCode bounds(const Flags& flags) {
  const report::Style style = flags.color.style();
  sim::SpecDraft draft = flags.spec.draft();
  // A bound needs neither a horizon nor a policy: the shortest run of the plainest policy makes the draft a valid spec.
  draft.settings.horizon = static_cast<std::int64_t>(std::max<std::size_t>(1, draft.settings.theta.size()));
  draft.settings.at.clear();
  draft.settings.policies = {"uniform"};
  const sim::Spec spec(draft);
  const model::Problem problem = spec.problem();
  print(flags.json ? report::bounds_json(problem, spec->censor, spec->epsilon)
                   : report::bounds_table(problem, spec->censor, spec->epsilon, style));
  return ExitCode::done;
}

}  // namespace

Action declare_bounds(Usage& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command, {"theta", "delay", "censor", "epsilon"});
  command.flag("--json", flags->json, "print JSON", "Output");
  flags->color.declare(command);
  return [flags] { return bounds(*flags); };
}

}  // namespace dbandit::cli
