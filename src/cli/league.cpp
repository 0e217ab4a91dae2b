#include "study/league.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "report/json.hpp"
#include "session.hpp"

namespace dbandit::cli {
namespace {

struct Flags : StudyFlags {
  bool quick = false, json = false;
};

ExitCode league(const Flags& flags) {
  if (const std::string* folder = flags.keep.resume()) return continue_study(*folder, "league");
  const report::Style style = flags.color.style();
  const std::vector<study::Match> matches = study::league_matches(flags.quick ? study::Effort::quick : study::Effort::full, 1);
  const std::filesystem::path folder = flags.keep.out() != nullptr ? *flags.keep.out()
                                       : flags.quick               ? "out/quick/league"
                                                                   : "results/league";
  flags.report.check();
  RunSession session(flags.keep, folder);
  std::vector<sim::Spec> specs;
  for (const study::Match& match : matches) specs.push_back(match.spec);
  const auto played = run_study(specs, flags.job, flags.keep, session);
  if (!played) return ExitCode::done;
  const std::vector<sim::Result>& results = *played;

  std::vector<report::File> files = study::league_files(results, matches);
  files.push_back({"manifest.json", report::manifest_json(report::manifest(results))});
  session.write(files);
  const auto complaint = report::draw(study::league_drawing(results, matches), folder, "figure");
  const std::string page = flags.report.write({&folder, 1}, folder);
  if (flags.json) {
    print(study::league_json(results, matches, report::manifest(results)));
    return ExitCode::done;
  }
  print(study::league_table(results, matches, style) + "\n" + (folder / "README.md").string() + "\n" +
        (complaint ? *complaint : (folder / "figure.png").string()) + "\n" + page);
  return ExitCode::done;
}

}  // namespace

Action declare_league(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.flag("--quick", flags->quick, "few replicas, so that little is told apart: about a minute", "Simulation");
  command.flag("--json", flags->json, "print one JSON document (dbandit.league.v1)", "Output");
  flags->declare(command, "where the tables and the figure go; default results/league, out/quick/league when quick");
  return [flags] { return league(*flags); };
}

}  // namespace dbandit::cli
