#include "study/slopes.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"
#include "session.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  KeepFlags keep;
  JobFlags job;
  ColorFlag color;
  bool quick = false, json = false;
};

ExitCode slopes(const Flags& flags) {
  if (const std::string* folder = flags.keep.resume()) return continue_study(*folder, "slopes");
  const report::Style style = flags.color.style();
  const std::vector<study::SlopeRun> runs = study::slope_runs(flags.quick ? study::Effort::quick : study::Effort::full);
  const std::filesystem::path folder = flags.keep.out() != nullptr ? *flags.keep.out()
                                       : flags.quick               ? "out/quick/asymptotics"
                                                                   : "results/asymptotics";
  RunSession session(flags.keep, folder);
  std::vector<sim::Spec> specs;
  for (const study::SlopeRun& run : runs) specs.push_back(run.spec);
  const auto played = run_study(specs, flags.job, flags.keep, session);
  if (!played) return ExitCode::done;
  const std::vector<sim::Result>& results = *played;

  std::vector<report::File> files = study::slopes_files(runs, results, flags.quick ? "dbandit slopes --quick" : "dbandit slopes");
  files.push_back({"manifest.json", report::manifest_json(report::manifest(results))});
  session.write(files);
  const auto complaint = report::draw(study::slopes_drawing(study::growth_lines(runs, results)), folder, "figure");
  if (flags.json) {
    print(study::slopes_json(runs, results));
  } else {
    print(study::slopes_table(runs, results, style) + "\n" + (folder / "README.md").string() + "\n" +
          (complaint ? *complaint : (folder / "figure.png").string()) + "\n");
  }
  return ExitCode::done;
}

}  // namespace

Action declare_slopes(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.flag("--quick", flags->quick, "up to T = 10^6 with fewer replicas: seconds", "Simulation");
  command.flag("--json", flags->json, "print the numbers as JSON instead of the tables", "Output");
  flags->keep.declare(command, "where the tables and the figure go; default results/asymptotics, out/quick/asymptotics when quick");
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return slopes(*flags); };
}

}  // namespace dbandit::cli
