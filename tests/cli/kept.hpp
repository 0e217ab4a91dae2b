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

/// Kills the run at random moments until there have been `kills` of them, then lets it end; the bytes must be those of one sitting.
inline void kill_and_resume(const Words& run, int kills, unsigned seed) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "whole"}).exit, 0);
  const std::string expected = kept(scratch / "whole");
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> moment(1, 60);
  int killed = 0, rounds = 0;
  for (; killed < kills; ++rounds) {
    ASSERT_LT(rounds, 20 * kills) << "the run ends before it can be killed";
    // Both ways to continue; the first sitting has nothing to resume yet.
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

}  // namespace dbandit::test
