#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// Full disks, closed pipes and impatient users.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;
using std::chrono_literals::operator""ms;

TEST(StandardError, IsEmptyWhenAllIsWellAndNoTerminalReadsIt) { EXPECT_EQ(dbandit(small_run()).err, ""); }

TEST(StandardOutput, ThatIsFullIsOneLineAndExitFour) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  for (const Words& arguments : {small_run(), small_run() + Words{"--json"}, small_run() + Words{"--csv"}, Words{"--help"},
                                 Words{"--version"}, Words{"list", "policies"}}) {
    const Outcome outcome = dbandit(arguments, {.standard_output = full});
    EXPECT_EQ(outcome.exit, 4);
    EXPECT_EQ(outcome.err, "dbandit: standard output: No space left on device\n");
  }
  ::close(full);
}

TEST(StandardOutput, ThatNobodyReadsEndsQuietly) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ::close(pipe[0]);
  const Outcome outcome = dbandit(small_run(), {.standard_output = pipe[1]});
  ::close(pipe[1]);
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(StandardDescriptors, ThatAreClosedAreNoSuccessAndNoFileTakesTheirPlace) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + Words{"--out", scratch / "open"}).exit, 0);
  for (const std::vector<int>& closed : {std::vector{0, 1, 2}, std::vector{1, 2}, std::vector{1}}) {
    EXPECT_EQ(dbandit(small_run(), {.closed = closed}).exit, 4);
    EXPECT_EQ(dbandit({"--help"}, {.closed = closed}).exit, 4);
    EXPECT_EQ(dbandit(small_run() + Words{"--out", scratch / "closed"}, {.closed = closed}).exit, 4) << "the table could not be shown";
    for (const char* name : {"spec.toml", "curve.csv", "band.csv", "distribution.csv", "risk.csv", "summary.json"}) {
      EXPECT_EQ(read_file(scratch.path() / "closed" / name), read_file(scratch.path() / "open" / name)) << name;
    }
    EXPECT_EQ(dbandit({"run", "--resume", scratch / "closed", "--quiet"}).exit, 0) << "nothing was printed into the checkpoint";
    std::filesystem::remove_all(scratch / "closed");
  }
  EXPECT_EQ(dbandit(small_run() + Words{"--gamma", "7"}, {.closed = {0, 1, 2}}).exit, 2);
  EXPECT_EQ(dbandit(small_run() + Words{"--quiet", "--out", scratch / "closed"}, {.closed = {0, 1, 2}}).exit, 0) << "nothing to show";
}

/// With 0 to 2 closed the folder, then both ends of the pipe that tells of a signal, would take their places: progress would go into that
/// pipe, and nobody would be left to hear of the signal.
TEST(StandardDescriptors, ThatAreClosedAreNotTakenByThePipeThatTellsOfASignal) {
  const Scratch scratch;
  const Words run{"run",        "--theta", "0.5,0.3",  "--delay",   "geometric:5", "--censor", "10",         "--horizon", "100",
                  "--policies", "d-ucb",   "--engine", "reference", "--at",        "10,100",   "--replicas", "100000000"};
  const Outcome outcome =
      dbandit(run + Words{"--progress", "json", "--out", scratch / "r"}, {.closed = {0, 1, 2}, .patience = 20, .interrupt_after = 500ms});
  EXPECT_EQ(outcome.exit, 130);
}

/// A limit on file sizes is a disk that fills up while a file is written.
TEST(FullDisk, LeavesNothingBehindInANewDirectory) {
  const Scratch scratch;
  const Outcome outcome = dbandit(small_run() + Words{"--out", scratch / "new/results"}, {.largest_file = 600});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_EQ(outcome.err, "dbandit: '" + scratch / "new/results/checkpoint" + "': cannot be written: File too large\n");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Out, OfTheSameRunAgainSaysThatItIsDoneAndChangesNothing) {
  const Scratch scratch;
  const Words run = small_run() + Words{"--out", scratch / "results"};
  const Outcome first = dbandit(run);
  ASSERT_EQ(first.exit, 0);
  const std::string before = read_file(scratch / "results/curve.csv") + read_file(scratch / "results/summary.json");
  const Outcome again = dbandit(run);
  EXPECT_EQ(again.exit, 0);
  EXPECT_NE(again.err.find("': was finished before; nothing was simulated\n"), std::string::npos) << again.err;
  EXPECT_EQ(read_file(scratch / "results/curve.csv") + read_file(scratch / "results/summary.json"), before);
}

TEST(Out, OfAnotherRunIsReplacedOnlyByForce) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + Words{"--out", scratch / "results"}).exit, 0);
  const std::string before = read_file(scratch / "results/curve.csv");
  const Words other = small_run("d-ucb") + Words{"--out", scratch / "results"};
  const Outcome refused = dbandit(other);
  EXPECT_EQ(refused.exit, 5);
  EXPECT_NE(refused.err.find("': holds a run with policies = "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--force replaces it"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(scratch / "results/curve.csv"), before);
  Words fewer = small_run() + Words{"--out", scratch / "results"};
  *(std::find(fewer.begin(), fewer.end(), "--replicas") + 1) = "10";
  EXPECT_EQ(dbandit(fewer).exit, 5);

  EXPECT_EQ(dbandit(other + Words{"--force"}, {.largest_file = 600}).exit, 4) << "the disk is full";
  EXPECT_EQ(read_file(scratch / "results.1/curve.csv"), before) << "kept until the new one is whole";
  ASSERT_EQ(dbandit(other + Words{"--force"}).exit, 0);
  EXPECT_NE(read_file(scratch / "results/spec.toml").find("policies = [\"d-ucb\"]"), std::string::npos);
}

TEST(Out, ThatHoldsFilesOfOthersIsNotWrittenInto) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "home");
  write_file(scratch / "home/letter.txt", "dear");
  const Outcome refused = dbandit(small_run() + Words{"--out", scratch / "home"});
  EXPECT_EQ(refused.exit, 5);
  EXPECT_EQ(refused.err, "dbandit: '" + scratch / "home" + "': holds files that are not of dbandit; choose another --out, or --force\n");
  EXPECT_EQ(dbandit(small_run() + Words{"--out", "/"}).exit, 5);
  EXPECT_EQ(dbandit(small_run() + Words{"--out", scratch / "home", "--force"}).exit, 0);
  EXPECT_EQ(read_file(scratch / "home/letter.txt"), "dear");
}

TEST(Out, OfASpecThatDoesNotFitIntoMemoryIsNotCreated) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:1e7", "--censor", "none", "--horizon", "1000000000",
                                   "--policies", "ud-klucb", "--out", scratch / "results", "--threads", "1024"});
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "results"));
}

/// What ulimit -v allows counts like what the machine has.
TEST(Out, OfASpecBeyondTheLimitOnAddressSpaceIsNotCreated) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:1000000", "--censor", "none", "--horizon", "1000000",
                                   "--policies", "ud-klucb", "--replicas", "1000", "--out", scratch / "results", "--threads", "64"},
                                  {.address_space = 1'000'000'000, .patience = 60});
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("dbandit: memory: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(", there are 1.0 GB; allowed is what fits"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "results"));
}

/// More work than can be done before the signal, in blocks short enough to end soon after it.
Words long_run() {
  return {"run",        "--theta", "0.5,0.3",  "--delay",   "geometric:5", "--censor", "10",         "--horizon", "100",
          "--policies", "d-ucb",   "--engine", "reference", "--at",        "10,100",   "--replicas", "100000000"};
}

TEST(Interrupt, ShowsWhatIsKnownAsPartialStoresItAndExits130) {
  const Scratch scratch;
  const Outcome outcome = dbandit(long_run() + Words{"--out", scratch / "results"}, {.interrupt_after = 500ms});
  EXPECT_EQ(outcome.exit, 130);
  EXPECT_TRUE(outcome.out.starts_with("PARTIAL: ")) << outcome.out;
  EXPECT_TRUE(outcome.err.starts_with("dbandit: interrupted: results are partial, ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("; stored, 'dbandit run --resume " + scratch / "results" + "' continues\n")) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(scratch / "results/checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "results/curve.csv")) << "a curve file stands for its whole spec";
}

/// One block of it takes minutes: a program that still waits for it is seen to.
TEST(Interrupt, TwiceStopsAtOnce) {
  const Scratch scratch;
  const Words endless{"run",       "--theta",    "0.5,0.3", "--delay", "geometric:5",      "--censor", "10",
                      "--horizon", "20000",      "--at",    "20000",   "--policies",       "d-ucb",    "--engine",
                      "reference", "--exposure", "history", "--out",   scratch / "results"};
  for (const int first : {SIGINT, SIGTERM, SIGHUP}) {
    const Outcome outcome = dbandit(endless, {.interrupt_after = 300ms, .interrupt_by = first, .interrupt_again = true});
    EXPECT_EQ(outcome.exit, 128 + SIGTERM) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "results/curve.csv"));
}

TEST(Interrupt, ByAHangUpDoesNotReachARunUnderNohup) {
  Words run = long_run() + Words{"--csv"};
  *(std::find(run.begin(), run.end(), "--replicas") + 1) = "20000";
  const Outcome undisturbed = dbandit(run),
                hung_up = dbandit(run, {.hangup_ignored = true, .interrupt_after = 100ms, .interrupt_by = SIGHUP});
  EXPECT_EQ(hung_up.exit, 0) << hung_up.err;
  EXPECT_EQ(hung_up.out, undisturbed.out);
}

/// A dropped connection takes the terminal along: what cannot be shown any more was stored first, and the exit code says why it ended.
TEST(Interrupt, WithNobodyLeftToReadStillStoresAndExits130) {
  const Scratch scratch;
  const int full = ::open("/dev/full", O_WRONLY);
  const Outcome outcome = dbandit(long_run() + Words{"--out", scratch / "results"},
                                  {.standard_output = full, .interrupt_after = 500ms, .interrupt_by = SIGHUP});
  ::close(full);
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("; stored, 'dbandit run --resume " + scratch / "results" + "' continues\n")) << outcome.err;
}

TEST(Interrupt, MarksTheJsonDocumentAsPartial) {
  const Outcome outcome = dbandit(long_run() + Words{"--json"}, {.interrupt_after = 500ms});
  EXPECT_EQ(outcome.exit, 130);
  EXPECT_NE(outcome.out.find("\"partial\":{\"replicas\":"), std::string::npos) << outcome.out.substr(0, 500);
}

TEST(Interrupt, PrintsNoCsvSinceItCannotBeMarked) {
  const Outcome outcome = dbandit(long_run() + Words{"--csv"}, {.interrupt_after = 500ms});
  EXPECT_EQ(outcome.exit, 130);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace dbandit::test
