#include <gtest/gtest.h>
#include <sys/file.h>

#include <cstdio>

#include "cli/kept.hpp"

namespace dbandit::test {
namespace {

using std::chrono_literals::operator""ms;

TEST(Resume, AfterKillsAtRandomMomentsGivesTheBytesOfOneSession) {
  kill_and_resume(run_of("d-klucb,ud-ucb,uniform", 128 * 300 + 17), 7, 1);
  kill_and_resume(run_of("d-ucb", 128 * 60, "reference"), 7, 2);
  kill_and_resume(run_of("agnostic-klucb,d-ucb", 128 * 150 + 1) + Words{"--threads", "1"}, 6, 3);
  std::printf("survived: 20 kills\n");
}

TEST(Resume, OfAFinishedRunWritesTheSameFilesAgain) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(run_of("d-ucb", 300) + Words{"--out", scratch / "r"}).exit, 0);
  const std::string before = kept(scratch / "r");
  EXPECT_EQ(dbandit({"run", "--resume", scratch / "r", "--quiet"}).exit, 0);
  EXPECT_EQ(kept(scratch / "r"), before);
}

TEST(Resume, AfterAnInterruptATerminationOrAHangUpGivesTheBytesOfOneSession) {
  const Words longer = run_of("d-ucb", 128 * 300 + 3, "reference");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    const Outcome stopped = dbandit(longer + Words{"--out", scratch / "r"}, {.interrupt_after = 150ms, .interrupt_by = signal});
    ASSERT_EQ(stopped.exit, 130) << stopped.err;
    ASSERT_NE(stopped.err.find("; stored, "), std::string::npos) << stopped.err;
    ASSERT_EQ(dbandit({"run", "--resume", scratch / "r", "--quiet"}).exit, 0);
    ASSERT_EQ(dbandit(longer + Words{"--out", scratch / "whole"}).exit, 0);
    EXPECT_EQ(kept(scratch / "r"), kept(scratch / "whole"));
  }
}

TEST(Extend, GivesTheBytesOfAFreshRunWithThatManyReplicas) {
  for (const int before : {1, 128, 300}) {
    for (const int after : {300, 1000, 1024}) {
      const Scratch scratch;
      ASSERT_EQ(dbandit(run_of("d-klucb,uniform", before) + Words{"--out", scratch / "r"}).exit, 0);
      ASSERT_EQ(dbandit({"run", "--extend", scratch / "r", "--replicas", std::to_string(after), "--quiet"}).exit, 0);
      ASSERT_EQ(dbandit(run_of("d-klucb,uniform", after) + Words{"--out", scratch / "fresh"}).exit, 0);
      EXPECT_EQ(kept(scratch / "r"), kept(scratch / "fresh")) << before << " -> " << after;
    }
  }
}

TEST(Extend, NeedsMoreReplicas) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(run_of("d-ucb", 300) + Words{"--out", scratch / "r"}).exit, 0);
  const std::string line = "dbandit: --extend: '" + scratch / "r" + "' has 300 replicas; give more --replicas than that\n";
  for (const Words& flags : {Words{}, Words{"--replicas", "299"}}) {
    const Outcome outcome = dbandit(Words{"run", "--extend", scratch / "r"} + flags);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(outcome.err, line);
  }
}

/// A folder with a run that was interrupted.
class Interrupted : public testing::Test {
 protected:
  Interrupted() {
    Words run = small_run("d-ucb") + Words{"--engine", "reference", "--quiet"};
    *(std::find(run.begin(), run.end(), "--replicas") + 1) = "100000000";
    EXPECT_EQ(dbandit(run + Words{"--out", scratch / "r"}, {.interrupt_after = 300ms}).exit, 130);
    command = run + Words{"--out", scratch / "r"};
  }
  void expect(const Words& words, int exit, const std::string& line) {
    const std::string before = read_file(scratch / "r/checkpoint");
    const Outcome outcome = dbandit(words);
    EXPECT_EQ(outcome.exit, exit) << outcome.err;
    EXPECT_EQ(outcome.err.substr(0, line.size()), line);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(read_file(scratch / "r/checkpoint"), before) << "what was stored is as it was";
  }
  const Scratch scratch;
  Words command;
};

TEST_F(Interrupted, RunIsNotContinuedWithAnotherSpec) {
  const std::string prefix = "dbandit: '" + scratch / "r" + "': holds a run with ";
  expect({"run", "--resume", scratch / "r", "--seed", "8"}, 5, prefix + "seed = 7, not 8;");
  expect({"run", "--resume", scratch / "r", "--horizon", "61"}, 5, prefix + "horizon = 60, not 61;");
  expect({"run", "--resume", scratch / "r", "--replicas", "5000"}, 5, prefix + "replicas = 100000000, not 5000;");
  Words other = command;
  *(std::find(other.begin(), other.end(), "--seed") + 1) = "9";
  expect(other, 5, prefix + "seed = 7, not 9;");
}

TEST_F(Interrupted, RunWithADamagedCheckpointIsRefused) {
  std::string content = read_file(scratch / "r/checkpoint");
  content[content.size() / 2] ^= 4;
  write_file(scratch / "r/checkpoint", content);
  const std::string line = "dbandit: '" + scratch / "r/checkpoint" + "': damaged at byte ";
  expect({"run", "--resume", scratch / "r"}, 6, line);
  expect(command, 6, line);
}

TEST_F(Interrupted, RunGoesOnAfterItsLastRecordWasCutOff) {
  const std::string content = read_file(scratch / "r/checkpoint");
  write_file(scratch / "r/checkpoint", content.substr(0, content.size() - 5));
  const Outcome outcome = dbandit({"run", "--resume", scratch / "r", "--quiet"}, {.interrupt_after = 300ms});
  EXPECT_EQ(outcome.exit, 130);
  EXPECT_NE(outcome.err.find("bytes are not a whole record and were dropped\n"), std::string::npos) << outcome.err;
}

TEST_F(Interrupted, RunIsForOneProcessAtATime) {
  const int folder = ::open((scratch / "r").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX | LOCK_NB), 0);
  expect({"run", "--resume", scratch / "r"}, 7, "dbandit: '" + scratch / "r" + "': another process is running in it\n");
  ::close(folder);
}

TEST(Resume, OfNothingSaysSo) {
  const Scratch scratch;
  const Outcome missing = dbandit({"run", "--resume", scratch / "none"});
  EXPECT_EQ(missing.exit, 4);
  EXPECT_EQ(missing.err, "dbandit: '" + scratch / "none" + "': cannot be opened: No such file or directory\n");
  write_file(scratch.path() / "file", "x");
  EXPECT_EQ(dbandit({"run", "--resume", scratch / "file"}).err, "dbandit: '" + scratch / "file" + "': cannot be opened: Not a directory\n");
  const Outcome empty = dbandit({"run", "--resume", scratch.path().string()});
  EXPECT_EQ(empty.exit, 2);
  EXPECT_EQ(empty.err, "dbandit: '" + scratch.path().string() + "': there is no checkpoint in it to continue from\n");
}

/// The disk fills up while records are appended: what was stored stays, and the run ends with more room.
TEST(FullDisk, LeavesWhatWasStoredToBeContinued) {
  const Scratch scratch;
  const Words run = run_of("d-ucb,uniform", 128 * 30);
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "whole"}).exit, 0);
  int refused = 0;
  for (rlim_t largest = 400; largest < 12000; largest += 450) {
    const Outcome outcome = dbandit(run + Words{"--out", scratch / "r"}, {.largest_file = largest});
    ASSERT_TRUE(outcome.exit == 0 || outcome.exit == 4) << outcome.err;
    refused += outcome.exit == 4;
  }
  EXPECT_GT(refused, 3);
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "r"}).exit, 0);
  EXPECT_EQ(kept(scratch / "r"), kept(scratch / "whole"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose runtimes must come before any preloaded library
TEST(Storage, AnyCallThatFailsLeavesAStateFromWhichTheSameBytesFollow) {
  const Failures all = fail_every_call({{ENOSPC, "0"}, {ENOSPC, "1"}, {EINTR, "0"}, {0, "1"}});
  EXPECT_GT(all.refused, 20);
  std::printf("survived: %d failing system calls, %d of them refused with exit 4\n", all.calls, all.refused);
}
#endif

}  // namespace
}  // namespace dbandit::test
