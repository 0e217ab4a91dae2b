#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/json_value.hpp"
#include "report/stored.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  JobFlags job;
  TextOption target;
  ColorFlag color;
  bool json = false;
};

/// What the files of a folder say when the run is made again; timings, and figures, which depend on gnuplot, are not compared.
struct Comparison {
  std::vector<std::string> same, older, missing;
  struct Difference {
    std::string file, where;
  };
  std::vector<Difference> different;
};

report::Json as_json(const std::string& folder, const Comparison& found) {
  report::Json different = report::Json::array();
  for (const Comparison::Difference& one : found.different) different.push_back({{"file", one.file}, {"where", one.where}});
  return {{"folder", folder},     {"identical", found.different.empty()},
          {"same", found.same},   {"different", std::move(different)},
          {"older", found.older}, {"missing", found.missing}};
}

Comparison compare(const std::filesystem::path& folder, const sim::Result& result) {
  Comparison found;
  for (const report::File& file : report::result_files(result, report::manifest(result))) {
    if (file.name == "manifest.json") continue;
    const auto stored = report::read_bytes(folder / file.name);
    if (!stored) {
      found.missing.push_back(file.name);
    } else if (const auto difference = report::first_difference(*stored, file.content)) {
      if (report::same_but_for_new_keys(file.name, *stored, file.content)) {
        found.older.push_back(file.name);
        continue;
      }
      found.different.push_back({file.name, *difference});
    } else {
      found.same.push_back(file.name);
    }
  }
  return found;
}

ExitCode replay(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.folders.empty()) throw UserError("replay: a result folder is missing, as in 'dbandit replay results/paper/fig1/low'");
  std::vector<std::filesystem::path> folders;
  for (const std::string& given : flags.folders) {
    for (auto& folder : report::result_folders(given)) folders.push_back(std::move(folder));
  }
  std::vector<sim::Spec> specs;
  for (const auto& folder : folders) specs.emplace_back(sim::read_spec_file((folder / "spec.toml").string()));
  const kernel::Target* target = chosen_target(flags.target, specs.front().engine());
  const JobOutcome outcome = run_job(specs, flags.job, target, nullptr);
  if (!outcome.complete) throw UserError("interrupted: nothing was compared", ExitCode::interrupted);
  const std::vector<sim::Result>& results = outcome.results;
  ExitCode code = ExitCode::done;
  report::Json json{{"schema", "dbandit.replay.v1"}, {"results", report::Json::array()}};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const Comparison found = compare(folders[i], results[i]);
    const std::string name = folders[i].lexically_normal().string();
    if (!found.different.empty()) code = ExitCode::differs;
    if (flags.json) {
      json["results"].push_back(as_json(name, found));
      continue;
    }
    std::string names;
    for (const std::string& file : found.same) names += (names.empty() ? "" : ", ") + file;
    if (found.different.empty()) {
      print(fmt::format("{}: {}\n", style.good(name + ": identical"), names));
    } else {
      print(style.bold(name + ": differs") + (names.empty() ? "" : fmt::format("; the same: {}", names)) + "\n");
      for (const auto& [file, where] : found.different) print(fmt::format("  {}, {}\n", file, where));
    }
    for (const std::string& file : found.older) print(fmt::format("  {}: the same but for keys that are newer than it\n", file));
    for (const std::string& file : found.missing) print(fmt::format("  {}: not stored, not compared\n", file));
  }
  if (flags.json) print(json.dump() + '\n');
  return code;
}

}  // namespace

Action declare_replay(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("RESULT", flags->folders, folder(), "folders that 'run --out' wrote, or one above them");
  flags->target.declare(command, "--target", target_names(), "instruction set; changes no byte; default auto", "Simulation");
  command.flag("--json", flags->json, "print one JSON document (dbandit.replay.v1)", "Output");
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return replay(*flags); };
}

}  // namespace dbandit::cli
