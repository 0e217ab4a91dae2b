#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/core/error.hpp"
#include "report/diagnosis.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  ColorFlag color;
  bool json = false;
};

ExitCode diagnose(const Flags& flags) {
  if (flags.folders.size() != 1) throw UserError("diagnose: give one folder that 'run --out' wrote, as in 'dbandit diagnose results/mine'");
  const auto findings = report::diagnosis(report::read_result(flags.folders.front()));
  print(flags.json ? report::findings_json(findings, "dbandit.diagnosis.v1")
                   : report::findings_text(findings, "the numbers are right, and this is what they do not support", flags.color.style()));
  return ExitCode::done;
}

}  // namespace

Action declare_diagnose(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->folders, folder(), "a folder that 'dbandit run --out' wrote");
  command.flag("--json", flags->json, "print one JSON document (dbandit.diagnosis.v1)", "Output");
  flags->color.declare(command);
  return [flags] { return diagnose(*flags); };
}

}  // namespace dbandit::cli
