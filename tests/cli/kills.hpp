#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/ways.hpp"

/// Studies, and ranks of a job, that are killed by SIGKILL at random moments and continued.
namespace dbandit::test {

/// All that stands for the numbers of a study: every file below its folder but those with times in them, and the figures.
inline std::map<std::string, std::string> numbers_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool has_times = name == "manifest.json" || name == "times.csv" || name == "README.md" || name.starts_with("checkpoint");
    if (entry.is_regular_file() && !has_times && !name.starts_with("figure."))
      files[entry.path().lexically_relative(folder)] = read_file(entry.path());
  }
  return files;
}

inline void expect_same_numbers(const std::filesystem::path& folder, const std::filesystem::path& other) {
  const std::map<std::string, std::string> ours = numbers_of(folder), theirs = numbers_of(other);
  EXPECT_FALSE(theirs.empty());
  for (const auto& [name, content] : ours) EXPECT_TRUE(theirs.contains(name) && theirs.at(name) == content) << name;
  for (const auto& [name, content] : theirs) EXPECT_TRUE(ours.contains(name)) << name;
}

/// How far the job in a folder is, from 0 to 1.
inline double share_done(const std::string& folder) {
  const Outcome status = dbandit({"status", folder, "--json"});
  return status.exit == 0 || status.exit == 3 ? nlohmann::json::parse(status.out)["share"].get<double>() : 0.0;
}

struct Study {
  Words words;
  int soonest, latest;  ///< milliseconds after which it is killed
};

inline Study small_sweep() {
  return {{"sweep", "--vary", "censor=5,10,20", "--theta", "0.5,0.3", "--delay", "geometric:5", "--horizon", "120", "--policies",
           "d-klucb,uniform", "--replicas", "2000", "--quiet", "--checkpoint-every", "0"},
          5,
          60};
}
inline Study small_reproduce() { return {{"reproduce", "fig2", "--replicas", "150", "--quiet", "--checkpoint-every", "0"}, 10, 300}; }
inline Study small_claims() { return {{"claims", "lemma1", "--quick", "--quiet", "--checkpoint-every", "0"}, 10, 300}; }
inline Study quick_league() { return {{"league", "--quick", "--quiet", "--checkpoint-every", "0"}, 1000, 6000}; }

/// Kills the study `kills` times. What was stored never becomes less; what it writes in the end is what one session writes, unless that is
/// not asked for.
inline void kill_study(const Study& study, int kills, unsigned seed, bool to_the_end = true) {
  const Scratch scratch;
  const std::string folder = scratch / "killed";
  const auto is_done = [](const Outcome& outcome) {
    return outcome.exit == 0 || outcome.exit == 1;
  };  // 1: a claim that few replicas cannot show
  if (to_the_end) {
    ASSERT_TRUE(is_done(dbandit(study.words + Words{"--out", scratch / "whole"})));
  }
  Random random(seed);
  double share = 0;
  int killed = 0;
  for (int sessions = 0; killed < kills; ++sessions) {
    ASSERT_LT(sessions, 20 * kills) << "it ends before it can be killed";
    const auto after = std::chrono::milliseconds(between(random, study.soonest, study.latest));
    const bool resumes = sessions % 2 == 1 && share > 0;
    const Words words = resumes ? Words{study.words.front(), "--resume", folder} : study.words + Words{"--out", folder};
    const Outcome outcome = dbandit(words, {.interrupt_after = after, .interrupt_by = SIGKILL});
    ASSERT_TRUE(outcome.exit == 128 + SIGKILL || is_done(outcome)) << outcome.exit << " " << outcome.err;
    killed += outcome.exit == 128 + SIGKILL;
    const double now = share_done(folder);
    EXPECT_GE(now, share) << "after " << sessions << " sessions";
    share = now;
    if (!is_done(outcome)) continue;
    expect_same_numbers(folder, scratch / "whole");
    std::filesystem::remove_all(folder);
    share = 0;
  }
  if (to_the_end) {
    const Outcome last = dbandit(study.words + Words{"--out", folder});
    ASSERT_TRUE(is_done(last)) << last.err;
    expect_same_numbers(folder, scratch / "whole");
  }
  std::printf("survived: %d kills of %s, %.0f %% done before the last session\n", killed, study.words.front().c_str(), 100 * share);
}

#ifdef DBANDIT_MPIRUN

/// The process that was started as this rank of a job in `folder`; 0 when there is none.
inline pid_t process_of_rank(int rank, const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto content = [&](const char* name) {
      std::ifstream file(entry.path() / name, std::ios::binary);
      std::ostringstream text;  // a process that ends while it is read is an error here, and would be an exception of an iterator
      text << file.rdbuf();
      return text.str();
    };
    if (content("cmdline").find(folder) == std::string::npos) continue;
    const std::string variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    if (content("environ").find(variable + '\0') != std::string::npos) return std::stoi(entry.path().filename());
  }
  return 0;
}

/// Runs on three ranks; `rank` is killed so long after it has appeared.
inline Outcome with_a_killed_rank(const Words& words, const std::string& folder, int rank, std::chrono::milliseconds after) {
  std::atomic<bool> over = false;
  std::thread killer([&] {
    for (pid_t victim = 0; victim == 0 && !over;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      victim = process_of_rank(rank, folder);
      if (victim == 0) continue;
      std::this_thread::sleep_for(after);
      ::kill(victim, SIGKILL);
    }
  });
  Circumstances ranks = on_ranks(3);
  ranks.patience = 15;  // mpiexec may wait for ever for a rank that died before it had reported
  const Outcome outcome = dbandit(words + Words{"--out", folder}, ranks);
  over = true;
  killer.join();
  for (int left = 0; left < 3; ++left) {
    if (const pid_t process = process_of_rank(left, folder); process != 0) ::kill(process, SIGKILL);
  }
  return outcome;
}

inline void kill_ranks(const Words& words, int kills, unsigned seed) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(words + Words{"--out", scratch / "whole"}).exit, 0);
  const std::string folder = scratch / "r";
  Random random(seed);
  double share = 0;
  std::array<int, 3> killed{};
  for (int sessions = 0; sessions < kills; ++sessions) {
    const int rank = sessions % 3;
    const Outcome outcome = with_a_killed_rank(words, folder, rank, std::chrono::milliseconds(between(random, 0, 800)));
    killed[static_cast<std::size_t>(rank)] += outcome.exit != 0;
    const double now = share_done(folder);
    EXPECT_GE(now, share) << "after rank " << rank << " was killed: " << outcome.err;
    share = now;
    if (outcome.exit == 0) {
      expect_same_numbers(folder, scratch / "whole");
      std::filesystem::remove_all(folder);
      share = 0;
    }
  }
  const Outcome last = dbandit(words + Words{"--out", folder}, on_ranks(2));
  ASSERT_EQ(last.exit, 0) << last.err;
  expect_same_numbers(folder, scratch / "whole");
  std::printf("survived: rank 0 killed %d, rank 1 %d, rank 2 %d times, %.0f %% done before the last session\n", killed[0], killed[1],
              killed[2], 100 * share);
}

#endif

}  // namespace dbandit::test
