#include <gtest/gtest.h>

#include "cli/kept.hpp"
#include "sim/machine.hpp"

#ifdef DBANDIT_MPIRUN

/// mpirun: the same bytes, one report, and an end with a message when a rank dies.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;

Circumstances on_ranks(int ranks) {
  return {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}},
          .launcher = {DBANDIT_MPIRUN, "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none"}};
}

TEST(Ranks, OneTwoThreeAndFiveWriteTheBytesOfOneProcess) {
  const Scratch scratch;
  const Words run = run_of("d-klucb,ud-ucb,uniform", 128 * 40 + 5);
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "one"}).exit, 0);
  const std::string expected = kept(scratch / "one");
  for (const int ranks : {1, 2, 3, 5}) {
    const std::string out = scratch / std::to_string(ranks);
    const Outcome outcome = dbandit(run + Words{"--threads", "2", "--out", out}, on_ranks(ranks));
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "") << "--quiet";
    EXPECT_EQ(kept(out), expected) << ranks;
  }
}

TEST(Ranks, ReportOnce) {
  const Outcome alone = dbandit(small_run() + Words{"--csv"});
  const Outcome together = dbandit(small_run() + Words{"--csv"}, on_ranks(3));
  EXPECT_EQ(together.exit, 0) << together.err;
  EXPECT_EQ(together.out, alone.out);
  EXPECT_EQ(dbandit(small_run(), on_ranks(2)).out.find('\033'), std::string::npos) << "colours where no terminal reads";
}

/// Several specs as one job: the second kind of run there is.
TEST(Ranks, SweepToTheBytesOfOneProcess) {
  const Scratch scratch;
  const Words sweep{"sweep", "--vary",     "censor=5,10",     "--theta",    "0.5,0.3", "--delay", "geometric:5", "--horizon",
                    "60",    "--policies", "d-klucb,uniform", "--replicas", "1000",    "--csv",   "--quiet"};
  const Outcome alone = dbandit(sweep + Words{"--out", scratch / "one"});
  const Outcome together = dbandit(sweep + Words{"--out", scratch / "three"}, on_ranks(3));
  ASSERT_EQ(together.exit, 0) << together.err;
  EXPECT_EQ(together.out, alone.out);
  for (const char* name : {"spec.toml", "sweep.csv", "paired.csv"}) {
    EXPECT_EQ(read_file(scratch.path() / "three" / name), read_file(scratch.path() / "one" / name)) << name;
  }
}

TEST(Ranks, StopAtTheLookAtWhichOneProcessStops) {
  Words run = small_run("d-ucb,uniform") + Words{"--until", "regret:2%", "--json"};
  *(std::find(run.begin(), run.end(), "--replicas") + 1) = "1000000";
  const auto without_manifest = [](const std::string& json) { return json.substr(0, json.find("\"manifest\"")); };
  EXPECT_EQ(without_manifest(dbandit(run, on_ranks(3)).out), without_manifest(dbandit(run).out));
}

/// One rank more than there are cores, each with the one thread that no flag can take from it.
TEST(Ranks, BeyondTheCoresAreAdvisedToBeFewerAndNotToTheFlagTheyHave) {
  const int cores = sim::cores().usable();
  const std::string crowded = dbandit(small_run() + Words{"--threads", "1"}, on_ranks(cores + 1)).err;
  EXPECT_NE(crowded.find("they take turns; start " + std::to_string(cores) + " rank"), std::string::npos) << crowded;
  EXPECT_EQ(crowded.find("--threads"), std::string::npos) << crowded;
  const std::string roomy = dbandit(small_run() + Words{"--threads", "1"}, on_ranks(cores)).err;
  EXPECT_EQ(roomy.find("take turns"), std::string::npos) << roomy;
}

TEST(Ranks, AnErrorOfTheUserIsSaidOnce) {
  const Outcome outcome = dbandit(small_run() + Words{"--gamma", "7"}, on_ranks(3));
  EXPECT_EQ(outcome.exit, 2);
  const std::size_t first = outcome.err.find("dbandit: --gamma");
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("dbandit: --gamma", first + 1), std::string::npos) << outcome.err;
}

/// A process of the program that was started as rank 1 and works below `folder`.
pid_t rank_one(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto content = [&](const char* name) {
      std::ifstream file(entry.path() / name, std::ios::binary);
      return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    if (content("cmdline").find(folder) == std::string::npos) continue;
    if (content("environ").find("OMPI_COMM_WORLD_RANK=1") != std::string::npos) return std::stoi(entry.path().filename());
  }
  return 0;
}

TEST(Ranks, OneThatIsKilledEndsTheJobInAStateThatCanBeContinued) {
  const Scratch scratch;
  const Words run = run_of("d-klucb,uniform", 128 * 2000 + 5);
  std::atomic<bool> killed = false;
  std::thread killer([&] {
    for (int i = 0; i < 1000 && !killed; ++i) {
      std::this_thread::sleep_for(20ms);
      if (!fs::exists(scratch / "r/checkpoint")) continue;
      const pid_t victim = rank_one(scratch / "r");
      killed = victim > 0 && ::kill(victim, SIGKILL) == 0;
    }
  });
  const Outcome outcome = dbandit(run + Words{"--threads", "1", "--out", scratch / "r"}, on_ranks(3));
  killer.join();
  ASSERT_TRUE(killed) << "the run was over before a rank could be killed";
  EXPECT_NE(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("signal 9"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(scratch / "r/curve.csv"));
  ASSERT_EQ(dbandit({"run", "--resume", scratch / "r", "--quiet"}).exit, 0);
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "one"}).exit, 0);
  EXPECT_EQ(kept(scratch / "r"), kept(scratch / "one"));
}

}  // namespace
}  // namespace dbandit::test

#endif
