#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <sstream>

#include "cli/kept.hpp"

/// The calls that storing takes, in the order in which a loss of power leaves either the old file or the new one: write, fsync,
/// rename, fsync of the folder.
namespace dbandit::test {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose runtimes must come before any preloaded library

struct Call {
  std::string name, path, to;
};

std::vector<Call> calls_of(const Words& words, const Scratch& scratch) {
  const std::string log = scratch / "calls";
  const Outcome outcome =
      dbandit(words, {.environment = {{"LD_PRELOAD", DBANDIT_FAILING_CALLS}, {"FAIL_UNDER", scratch / "r"}, {"TRACE", log}}});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  std::istringstream text(read_file(log));
  std::vector<Call> calls;
  for (std::string line; std::getline(text, line);) {
    std::istringstream in(line);
    in >> calls.emplace_back().name >> calls.back().path >> calls.back().to;
  }
  return calls;
}

/// Follows the calls; what is not yet on the disk at a moment at which it should be is a failure.
void expect_durable(const std::vector<Call>& calls, const std::string& folder, const std::set<std::string>& files) {
  std::set<std::string> unsynced, synced, renamed;
  bool folder_due = false;
  for (const Call& call : calls) {
    if (call.name == "write") {
      EXPECT_FALSE(folder_due && call.path.ends_with("checkpoint.tmp")) << "the next record before the folder knows of the file";
      unsynced.insert(call.path);
    } else if (call.name == "fsync" && call.path == folder) {
      folder_due = false;
    } else if (call.name == "fsync") {
      unsynced.erase(call.path);
      synced.insert(call.path);
    } else if (call.name == "rename") {
      EXPECT_TRUE(synced.contains(call.path)) << call.path << " takes its name before it was written and synced";
      EXPECT_TRUE(unsynced.empty()) << *unsynced.begin() << " is not on the disk when " << call.path << " takes its name";
      renamed.insert(call.to);
      folder_due = true;
    }
  }
  EXPECT_FALSE(folder_due) << "the folder is not synced after the last rename";
  EXPECT_TRUE(unsynced.empty()) << *unsynced.begin() << " was written to and never synced";
  for (const std::string& file : files) EXPECT_TRUE(renamed.contains(folder + "/" + file)) << file;
}

TEST(Durability, OfCheckpointAndResultIsWriteSyncRenameSync) {
  const Scratch scratch;
  const auto calls = calls_of(run_of("d-ucb", 128 * 4) + Words{"--threads", "1", "--out", scratch / "r"}, scratch);
  expect_durable(calls, scratch / "r",
                 {"checkpoint", "spec.toml", "curve.csv", "band.csv", "distribution.csv", "risk.csv", "summary.json", "manifest.json"});
  const auto appended = std::count_if(calls.begin(), calls.end(),
                                      [&](const Call& call) { return call.name == "fsync" && call.path == scratch / "r/checkpoint.tmp"; });
  EXPECT_GE(appended, 4) << "a record for each block, each synced";
}

TEST(Durability, OfAShardIsWriteSyncRenameSync) {
  const Scratch scratch;
  const auto calls = calls_of(run_of("d-ucb", 128 * 8) + Words{"--threads", "1", "--shard", "1/2", "--out", scratch / "r"}, scratch);
  expect_durable(calls, scratch / "r", {"checkpoint"});
  const auto appended = std::count_if(calls.begin(), calls.end(),
                                      [&](const Call& call) { return call.name == "fsync" && call.path == scratch / "r/checkpoint.tmp"; });
  EXPECT_GE(appended, 4) << "a record for each block, each synced";
}

TEST(Clocks, ThatGoBackwardsPrintNoNegativeTime) {
  const Circumstances backwards{.environment = {{"LD_PRELOAD", DBANDIT_FAILING_CALLS}, {"BACKWARDS", "1"}}, .patience = 60};
  const Scratch scratch;
  Words plan = small_run() + Words{"--json"};
  plan.front() = "plan";
  for (const Words& words : {small_run() + Words{"--progress", "json", "--out", scratch / "r"}, small_run() + Words{"--json"}, plan}) {
    const Outcome outcome = dbandit(words, backwards);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const std::string manifest = std::filesystem::exists(scratch / "r/manifest.json") ? read_file(scratch / "r/manifest.json") : "";
    for (const std::string& text : {outcome.out, outcome.err, manifest}) {
      for (std::size_t at = 0; (at = text.find("econds", at)) != std::string::npos; ++at) {
        const std::size_t end = text.find_first_of(",\n", at);
        EXPECT_EQ(text.substr(at, end - at).find(":-"), std::string::npos) << text.substr(at, 80);
      }
      for (std::size_t at = 0; (at = text.find(" -", at)) != std::string::npos; ++at) {  // the column time/round, and the note below
        EXPECT_EQ(std::isdigit(static_cast<unsigned char>(text[at + 2])), 0) << text;
      }
      EXPECT_EQ(text.find("inf"), std::string::npos) << text;
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    }
  }
}
#endif

}  // namespace
}  // namespace dbandit::test
