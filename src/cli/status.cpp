#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/core/error.hpp"
#include "report/columns.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"
#include "sim/checkpoint.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  ColorFlag color;
  bool json = false;
};

/// A word as a shell takes it.
std::string quoted_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/%+@") ==
                                          std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

struct Progress {
  std::size_t runs = 0, finished = 0;
  double done = 0, all = 0;  ///< replica-rounds of one policy
  double seconds = 0;
};

Progress progress_of(const sim::Stored& stored) {
  Progress progress;
  for (const sim::StoredRun& run : stored.runs) {
    const sim::Plan plan = sim::plan(run.spec);
    const double a_block = static_cast<double>(plan.block_lanes) * static_cast<double>(run.spec->horizon);
    ++progress.runs;
    progress.finished += run.is_finished();
    progress.all += a_block * static_cast<double>(run.is_finished() ? run.state.blocks() : plan.blocks);
    progress.done += a_block * static_cast<double>(run.state.blocks());
    progress.seconds += run.state.whole.timing.seconds + run.state.last.timing.seconds;
  }
  return progress;
}

ExitCode status(const Flags& flags) {
  if (flags.folders.size() != 1) throw UserError("status: give one folder that --out named, as in 'dbandit status results/mine'");
  const std::string& folder = flags.folders.front();
  const std::optional<sim::Stored> stored = sim::read_checkpoints(folder);
  if (!stored) {
    std::error_code ignored;
    throw UserError(fmt::format("'{}': {}; allowed is a folder that --out named", folder,
                                std::filesystem::exists(folder, ignored) ? "there is no checkpoint in it" : "there is no such folder"));
  }
  const Progress progress = progress_of(*stored);
  const bool done = progress.finished == progress.runs && progress.runs > 0;
  const double share = progress.all > 0 ? progress.done / progress.all : 0;
  std::string command = "dbandit";
  for (const std::string& word : stored->command) command += " " + quoted_word(word);
  if (flags.json) {
    print(report::Json{{"schema", "dbandit.status.v1"},
                       {"folder", folder},
                       {"runs", progress.runs},
                       {"finished", progress.finished},
                       {"share", share},
                       {"seconds", progress.seconds},
                       {"command", stored->command}}
              .dump() +
          '\n');
    return done ? ExitCode::done : ExitCode::differs;
  }
  std::string text = fmt::format("{}: {:.1f} % done, {} of {} {} finished, {} so far\n", folder, 100 * share, progress.finished,
                                 progress.runs, progress.runs == 1 ? "run" : "runs", report::duration_text(progress.seconds));
  if (!stored->notice.empty()) text += stored->notice + "\n";
  if (!done)
    text += "continues: " + (stored->command.empty() ? fmt::format("dbandit run --resume {}", quoted_word(folder)) : command) + "\n";
  print(text);
  return done ? ExitCode::done : ExitCode::differs;
}

}  // namespace

Action declare_status(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->folders, folder(), "a folder that --out named");
  command.flag("--json", flags->json, "print one JSON document (dbandit.status.v1)", "Output");
  flags->color.declare(command);
  return [flags] { return status(*flags); };
}

}  // namespace dbandit::cli
