#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/run.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "sim/checkpoint.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> shards;
  TextOption out;
  ColorFlag color;
  bool json = false, csv = false, quiet = false;
};

ExitCode merge(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.json && flags.csv) throw UserError("--json and --csv: choose one");
  if (flags.shards.empty()) throw UserError("merge: give the directories of all shards, as in 'dbandit merge part1 part2'");
  const std::vector<std::filesystem::path> folders(flags.shards.begin(), flags.shards.end());
  const std::vector<sim::StoredRun> merged = sim::merge_checkpoints(folders);
  const std::string* const out = flags.out.value();
  if (merged.size() > 1 && out == nullptr) {
    throw UserError("merge: these are shards of a study: give --out, and the command that began it shows what is in there");
  }
  std::optional<report::Directory> directory;
  std::optional<sim::Checkpoint> checkpoint;
  if (out != nullptr) {
    directory.emplace(*out);
    checkpoint.emplace(*out);
    if (checkpoint->stored()) throw UserError(fmt::format("'{}': holds a run; choose another --out", *out), ExitCode::mismatch);
  }
  const std::vector<sim::Result> results = sim::results_of(merged, checkpoint ? &*checkpoint : nullptr);
  if (results.size() > 1) {
    print(fmt::format("{} runs are whole in '{}'; the command that began them, with this --out, shows them\n", results.size(), *out));
    return ExitCode::done;
  }
  const sim::Result& result = results.front();
  const report::Manifest manifest = report::manifest(result);
  const std::vector<report::File> files = report::result_files(result, manifest);
  if (directory) directory->write(files);
  if (flags.quiet && directory && !flags.json && !flags.csv) return ExitCode::done;
  print(flags.json ? report::result_json(result, manifest) : flags.csv ? report::curve_csv(result) : report::result_table(result, style));
  if (directory && !flags.json && !flags.csv) print("\n" + written_line(*out, files));
  return ExitCode::done;
}

}  // namespace

Action declare_merge(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->shards, folder(), "the --out directories of all shards of one run, in any order");
  command.flag("--json", flags->json, "print one JSON document (dbandit.result.v1)", "Output");
  command.flag("--csv", flags->csv, "print the curves: policy,t,measure,mean,stderr,ci_low,ci_high", "Output");
  flags->out.declare(command, "--out", folder(), "write spec.toml, curve.csv, summary.json and manifest.json there", "Output");
  command.flag("--quiet", flags->quiet, "no table when there is --out", "Output");
  flags->color.declare(command);
  return [flags] { return merge(*flags); };
}

}  // namespace dbandit::cli
