#include <memory>

#include "command.hpp"
#include "dbandit/sim/draft.hpp"
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
  const sim::Spec spec = sim::problem_spec(flags.spec.draft());
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
