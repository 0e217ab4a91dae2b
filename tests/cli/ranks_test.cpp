#include <gtest/gtest.h>

#include "cli/kills.hpp"
#include "sim/machine.hpp"

#ifdef DBANDIT_MPIRUN

/// mpirun: the same bytes, one report, and an end with a message when a rank dies.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;

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

/// More than can be done before a signal comes.
Words long_sweep() {
  Words words = small_sweep().words + Words{"--threads", "1"};
  *(std::find(words.begin(), words.end(), "--replicas") + 1) = "100000000";
  std::erase(words, "--quiet");
  return words;
}

/// What a scheduler sends. mpirun passes it on and waits for a second.
TEST(Ranks, ThatAreTerminatedStoreAndPartWithOneLine) {
  const Scratch scratch;
  Circumstances terminated = on_ranks(3);
  terminated.interrupt_once_said = " % done  ";
  terminated.interrupt_by = SIGTERM;
  const Outcome outcome = dbandit(long_sweep() + Words{"--out", scratch / "r"}, terminated);
  const std::string parting = "dbandit: interrupted: ";
  const std::size_t at = outcome.err.find(parting);
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("dbandit: ", at + 1), std::string::npos) << outcome.err;
  const std::string line = outcome.err.substr(at, outcome.err.find('\n', at) - at);
  EXPECT_TRUE(line.ends_with(" blocks are stored in '" + scratch / "r" + "'; the same command, or --resume, continues")) << line;
  EXPECT_GT(share_done(scratch / "r"), 0);
}

/// mpirun gives every rank a pipe for standard error: no bar, but a line after two seconds, through rank 0.
TEST(Ranks, TellThroughRankZeroHowFarTheyAre) {
  const Scratch scratch;
  Circumstances terminated = on_ranks(2);
  terminated.interrupt_once_said = " ETA ";
  const Outcome lines = dbandit(long_sweep() + Words{"--out", scratch / "r"}, terminated);
  const std::size_t at = lines.err.find(" % done  ");
  ASSERT_NE(at, std::string::npos) << lines.err;
  EXPECT_NE(lines.err.find(" replica-rounds/s  ETA ", at), std::string::npos) << lines.err;
  // Whichever rank is given the last block, which differs from run to run.
  for (int run = 0; run < 8; ++run) {
    const Outcome objects = dbandit(small_run() + Words{"--progress", "json", "--csv"}, on_ranks(2));
    EXPECT_NE(objects.err.find("\"done\":3,\"all\":3"), std::string::npos) << objects.err;
  }
}

TEST(Ranks, AnErrorOfTheUserIsSaidOnce) {
  const Outcome outcome = dbandit(small_run() + Words{"--gamma", "7"}, on_ranks(3));
  EXPECT_EQ(outcome.exit, 2);
  const std::size_t first = outcome.err.find("dbandit: --gamma");
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("dbandit: --gamma", first + 1), std::string::npos) << outcome.err;
}

TEST(Ranks, OneThatIsKilledEndsTheJobWithAMessageAndNoCurve) {
  const Scratch scratch;
  const Words run = run_of("d-klucb,uniform", 128 * 2000 + 5) + Words{"--threads", "1"};
  const Outcome outcome = with_a_killed_rank(run, scratch / "r", 1, 300ms);
  EXPECT_NE(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("signal 9"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(scratch / "r/curve.csv"));
}

/// A disk that is full for one rank: all hand over what they have, one line, exit 4.
TEST(Ranks, OneThatCannotStoreEndsTheJobWithOneLineAndLosesNothing) {
  const Scratch scratch;
  const Words run = run_of("d-klucb,uniform", 128 * 100 + 5) + Words{"--threads", "1"};
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "whole"}).exit, 0);
  for (const char* file : {"checkpoint.2", "checkpoint"}) {
    Circumstances full = on_ranks(3);
    full.environment.insert({{"LD_PRELOAD", DBANDIT_FAILING_CALLS},
                             {"FAIL_UNDER", scratch / "r/" + file},
                             {"FAIL_CALL", "write"},
                             {"FAIL_NTH", "4"},
                             {"FAIL_ERROR", std::to_string(ENOSPC)},
                             {"FAIL_ON", "1"},
                             {"FAIL_MARK", scratch / "mark"}});
    const double before = share_done(scratch / "r");
    const Outcome outcome = dbandit(run + Words{"--out", scratch / "r"}, full);
    EXPECT_EQ(outcome.exit, 4) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("dbandit: '" + scratch / "r/checkpoint")) << outcome.err;
    EXPECT_EQ(outcome.err.find("dbandit: ", 1), std::string::npos) << outcome.err;
    EXPECT_GT(share_done(scratch / "r"), before);
  }
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "r"}, on_ranks(2)).exit, 0);
  EXPECT_EQ(kept(scratch / "r"), kept(scratch / "whole"));
}

/// Threads that nobody asked for are not more than the machine has.
TEST(Ranks, ShareTheCoresOfTheirMachine) {
  const Scratch scratch;
  const int cores = sim::cores().usable();
  ASSERT_EQ(dbandit(small_run() + Words{"--quiet", "--out", scratch / "r"}, on_ranks(cores)).exit, 0);
  EXPECT_NE(read_file(scratch / "r/manifest.json").find("\"threads\":" + std::to_string(cores)), std::string::npos);
}

}  // namespace
}  // namespace dbandit::test

#endif
