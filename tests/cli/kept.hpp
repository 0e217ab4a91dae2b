#pragma once

#include <random>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// Runs that are killed, cut short and continued.
namespace dbandit::test {

using Words = std::vector<std::string>;

/// The files that stand for a spec, as one text.
inline std::string kept(const std::filesystem::path& directory) {
  std::string text;
  for (const char* name : {"spec.toml", "curve.csv", "summary.json"}) text += read_file(directory / name);
  return text;
}

inline Words run_of(const std::string& policies, int replicas, const std::string& engine = "simd") {
  Words words = small_run(policies) + Words{"--engine", engine, "--quiet", "--checkpoint-every", "0"};
  *(std::find(words.begin(), words.end(), "--replicas") + 1) = std::to_string(replicas);
  return words;
}

/// Kills the run at random moments until there have been `kills` of them, then lets it end; the bytes must be those of one session.
inline void kill_and_resume(const Words& run, int kills, unsigned seed) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "whole"}).exit, 0);
  const std::string expected = kept(scratch / "whole");
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> moment(1, 60);
  int killed = 0, rounds = 0;
  for (; killed < kills; ++rounds) {
    ASSERT_LT(rounds, 20 * kills) << "the run ends before it can be killed";
    // Both ways to continue; the first session has nothing to resume yet.
    const bool same_command = rounds % 2 == 0 || !std::filesystem::exists(scratch / "killed/checkpoint");
    const Words again = same_command ? run + Words{"--out", scratch / "killed"}
                                     : Words{"run", "--resume", scratch / "killed", "--quiet", "--checkpoint-every", "0"};
    const Outcome outcome = dbandit(again, {.interrupt_after = std::chrono::milliseconds(moment(random)), .interrupt_by = SIGKILL});
    ASSERT_TRUE(outcome.exit == 128 + SIGKILL || outcome.exit == 0) << outcome.err;
    killed += outcome.exit != 0;
    if (outcome.exit == 0) {
      ASSERT_EQ(kept(scratch / "killed"), expected);
      std::filesystem::remove_all(scratch / "killed");
    }
  }
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "killed"}).exit, 0);
  EXPECT_EQ(kept(scratch / "killed"), expected);
}

/// How a call fails (failing_calls.cpp).
struct Failing {
  int error;                 ///< 0: a short write
  const char* from_then_on;  ///< "1": and all later ones with it
};
struct Failures {
  int calls = 0, refused = 0;
};

/// A run that continues another and ends: the n-th call of every kind that storing takes fails, for n = 1, 2, … until there is no
/// n-th one. Either the run ends as if nothing had been, or with exit 4 and a state from which it does the next time.
inline Failures fail_every_call(const std::vector<Failing>& ways) {
  Failures all;
  const Scratch scratch;
  const Words begun = run_of("d-ucb", 300) + Words{"--threads", "1"}, whole = run_of("d-ucb", 700) + Words{"--threads", "1"};
  EXPECT_EQ(dbandit(begun + Words{"--out", scratch / "begun"}).exit, 0);
  EXPECT_EQ(dbandit(whole + Words{"--out", scratch / "whole"}).exit, 0);
  const std::string expected = kept(scratch / "whole"), folder = scratch / "r", mark = scratch / "mark";
  const auto survives = [&](const char* call, const Failing& way, int nth) {
    std::filesystem::remove_all(folder);
    std::filesystem::copy(scratch / "begun", folder);
    std::filesystem::remove(mark);
    const Outcome outcome = dbandit(whole + Words{"--out", folder}, {.environment = {{"LD_PRELOAD", DBANDIT_FAILING_CALLS},
                                                                                     {"FAIL_UNDER", folder},
                                                                                     {"FAIL_CALL", call},
                                                                                     {"FAIL_NTH", std::to_string(nth)},
                                                                                     {"FAIL_ERROR", std::to_string(way.error)},
                                                                                     {"FAIL_ON", way.from_then_on},
                                                                                     {"FAIL_MARK", mark}}});
    if (outcome.exit == 4) {
      ++all.refused;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
      EXPECT_EQ(dbandit(whole + Words{"--out", folder}).exit, 0);
    } else {
      EXPECT_EQ(outcome.exit, 0) << outcome.err;
    }
    EXPECT_EQ(kept(folder), expected);
    return std::filesystem::exists(mark) && nth < 100 && !testing::Test::HasFailure();
  };
  for (const char* call : {"open", "write", "fsync", "rename", "close"}) {
    for (const Failing& way : ways) {
      if (way.error == 0 && std::string_view(call) != "write") continue;
      SCOPED_TRACE(std::string(call) + ": error " + std::to_string(way.error) + ", from then on: " + way.from_then_on);
      for (int nth = 1; survives(call, way, nth); ++nth) ++all.calls;
    }
  }
  return all;
}

}  // namespace dbandit::test
