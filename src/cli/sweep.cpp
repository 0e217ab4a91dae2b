#include "study/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "report/advice.hpp"
#include "session.hpp"
#include "spec_flags.hpp"

namespace dbandit::cli {
namespace {

struct Flags : StudyFlags {
  SpecFlags spec;
  std::vector<std::string> vary;
  bool csv = false, json = false;
};

ExitCode sweep(const Flags& flags) {
  if (const std::string* folder = flags.keep.resume()) return continue_study(*folder, "sweep");
  const report::Style style = flags.color.style();
  if (flags.json && flags.csv) throw UserError("--json and --csv: choose one");
  flags.report.check();
  study::Sweep sweep;
  sweep.axes = study::parse_axes(flags.vary);
  sweep.cells = study::cells(flags.spec.draft(), sweep.axes);
  std::vector<sim::Spec> specs;
  for (const study::Cell& cell : sweep.cells) specs.push_back(cell.spec);
  std::string name = "out/sweeps/" + std::string(sweep.axes.front().knob->name);
  if (sweep.axes.size() == 2) name += "-" + std::string(sweep.axes.back().knob->name);
  const std::filesystem::path folder = flags.keep.out() != nullptr ? *flags.keep.out() : name;
  RunSession session(flags.keep, folder);
  for (const sim::Spec& spec : specs) {
    const auto line = flags.job.quiet || flags.json || flags.csv ? std::nullopt : report::cost_advice(spec);
    if (!line) continue;
    warn({&*line, 1});
    break;
  }
  auto results = run_study(specs, flags.job, flags.keep, session);
  if (!results) return ExitCode::done;
  sweep.results = std::move(*results);
  session.write(study::sweep_files(sweep));
  const auto complaint = report::draw(study::sweep_drawing(sweep), folder, "figure");
  const std::string page = flags.report.write({&folder, 1}, folder);
  if (flags.csv || flags.json) {
    print(flags.csv ? study::sweep_csv(sweep) : study::sweep_json(sweep, report::manifest(sweep.results)));
    return ExitCode::done;
  }
  print(study::sweep_table(sweep, style) + "\n" + (folder / "sweep.csv").string() + "\n" +
        (complaint ? *complaint : (folder / "figure.png").string()) + "\n" + page);
  return ExitCode::done;
}

}  // namespace

Action declare_sweep(Usage& command) {
  auto flags = std::make_shared<Flags>();
  std::vector<std::string_view> names;
  std::ranges::transform(study::knobs(), std::back_inserter(names), &study::Knob::name);
  command.option("--vary", flags->vary, "KEY=VALUES",
                 fmt::format("what varies, once or twice: {}; values as 10,100,1000 or log:LOW:HIGH:COUNT or lin:LOW:HIGH:COUNT",
                             fmt::join(names, ", ")),
                 "Sweep");
  flags->spec.declare(command, {"theta", "delay", "assume-delay", "censor", "horizon", "policies", "epsilon", "clamp", "ties", "start",
                                "radius", "gamma", "prior-shape", "prior-rate", "replicas", "seed", "engine", "exposure", "solver"});
  command.flag("--json", flags->json, "print one JSON document (dbandit.sweep.v1)", "Output");
  command.flag("--csv", flags->csv, "print sweep.csv instead of a table", "Output");
  flags->declare(command, "where the results go; default out/sweeps/KEY");
  return [flags] { return sweep(*flags); };
}

}  // namespace dbandit::cli
