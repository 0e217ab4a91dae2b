#include <gtest/gtest.h>

#include "cli/kills.hpp"

/// Every study is a job: stored as it goes, continued by the same command, done in shards, never computed twice.
namespace dbandit::test {
namespace {

using std::chrono_literals::operator""ms;

Words sweep(const std::string& values = "censor=5,10,20") {
  return {"sweep",
          "--vary",
          values,
          "--theta",
          "0.5,0.3",
          "--delay",
          "geometric:5",
          "--horizon",
          "120",
          "--policies",
          "d-klucb,uniform",
          "--replicas",
          "2000",
          "--quiet",
          "--checkpoint-every",
          "0"};
}

std::string kept_sweep(const std::filesystem::path& folder) {
  return read_file(folder / "spec.toml") + read_file(folder / "sweep.csv") + read_file(folder / "paired.csv");
}

/// The disk fills up again and again, a little later each time.
TEST(Sweep, OnADiskThatFillsUpLosesNothingThatWasStored) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(sweep() + Words{"--out", scratch / "whole"}).exit, 0);
  int refused = 0;
  double share = 0;
  for (rlim_t largest = 2000; largest < 40000; largest += 3000) {
    const Outcome outcome = dbandit(sweep() + Words{"--out", scratch / "r"}, {.largest_file = largest});
    ASSERT_TRUE(outcome.exit == 0 || outcome.exit == 4) << outcome.err;
    refused += outcome.exit == 4;
    const double now = share_done(scratch / "r");
    EXPECT_GE(now, share) << largest;
    share = now;
  }
  EXPECT_GT(refused, 2);
  ASSERT_EQ(dbandit(sweep() + Words{"--out", scratch / "r"}).exit, 0);
  EXPECT_EQ(kept_sweep(scratch / "r"), kept_sweep(scratch / "whole"));
}

/// What the job knows is stored again, in a folder of the same name.
TEST(Sweep, WhoseFolderIsRemovedOnTheWayLosesNothing) {
  const Scratch scratch;
  Words longer = sweep();
  *(std::find(longer.begin(), longer.end(), "--replicas") + 1) = "40000";
  ASSERT_EQ(dbandit(longer + Words{"--out", scratch / "whole"}).exit, 0);
  std::thread remover([&] {
    while (share_done(scratch / "r") < 0.05) std::this_thread::sleep_for(5ms);
    std::filesystem::rename(scratch / "r", scratch / "gone");
    std::filesystem::remove_all(scratch / "gone");
  });
  const Outcome outcome = dbandit(longer + Words{"--out", scratch / "r"});
  remover.join();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(kept_sweep(scratch / "r"), kept_sweep(scratch / "whole"));
  EXPECT_EQ(share_done(scratch / "r"), 1);
}

TEST(Sweep, ExtendedByAValueComputesThatValue) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(sweep("censor=5,20") + Words{"--out", scratch / "r"}).exit, 0);
  Words plan = sweep("censor=5,10,20") + Words{"--out", scratch / "r"};
  plan.front() = "plan";
  EXPECT_NE(dbandit(plan).out.find("32 of 48 blocks are stored and would not run again"), std::string::npos) << dbandit(plan).out;
  const Outcome longer = dbandit(sweep("censor=5,10,20") + Words{"--out", scratch / "r"});
  ASSERT_EQ(longer.exit, 0) << longer.err;
  ASSERT_EQ(dbandit(sweep("censor=5,10,20") + Words{"--out", scratch / "whole"}).exit, 0);
  EXPECT_EQ(kept_sweep(scratch / "r"), kept_sweep(scratch / "whole"));
  EXPECT_EQ(dbandit(sweep("censor=5,10") + Words{"--out", scratch / "r"}).exit, 5) << "what is stored must be among what is asked for";
}

TEST(Sweep, InShardsIsMergedAndShownByTheSameCommand) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(sweep() + Words{"--out", scratch / "whole"}).exit, 0);
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    ASSERT_EQ(dbandit(sweep() + Words{"--shard", shard, "--out", scratch / std::string(1, shard[0])}).exit, 0);
  }
  const Outcome merged = dbandit({"merge", scratch / "3", scratch / "1", scratch / "2", "--out", scratch / "merged"});
  ASSERT_EQ(merged.exit, 0) << merged.err;
  EXPECT_EQ(dbandit({"status", scratch / "merged"}).exit, 0) << "nothing is left to simulate";
  const Outcome shown = dbandit(sweep() + Words{"--out", scratch / "merged"});
  ASSERT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(kept_sweep(scratch / "merged"), kept_sweep(scratch / "whole"));
}

TEST(Sweep, InterruptedSaysWhatIsStoredAndIsResumedByItsFolder) {
  const Scratch scratch;
  Words longer = sweep();
  *(std::find(longer.begin(), longer.end(), "--replicas") + 1) = "2500";
  longer.resize(longer.size() - 2);  // stored when it is interrupted, not after every block
  const Outcome stopped =
      dbandit(longer + Words{"--engine", "reference", "--exposure", "buffer", "--out", scratch / "r"}, {.interrupt_after = 300ms});
  ASSERT_EQ(stopped.exit, 130) << stopped.err;
  EXPECT_NE(stopped.err.find(" blocks are stored in '" + scratch / "r" + "'; the same command, or --resume, continues\n"),
            std::string::npos)
      << stopped.err;
  const Outcome status = dbandit({"status", scratch / "r"});
  EXPECT_EQ(status.exit, 3) << "something is left";
  EXPECT_NE(status.out.find("% done, 0 of 3 runs finished"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("continues: dbandit sweep --vary censor=5,10,20 "), std::string::npos) << status.out;
  EXPECT_EQ(dbandit({"league", "--resume", scratch / "r"}).exit, 5) << "it is a sweep";
  ASSERT_EQ(dbandit({"sweep", "--resume", scratch / "r"}).exit, 0);
  ASSERT_EQ(dbandit(longer + Words{"--engine", "reference", "--exposure", "buffer", "--out", scratch / "whole"}).exit, 0);
  EXPECT_EQ(kept_sweep(scratch / "r"), kept_sweep(scratch / "whole"));
}

// Each figure has a folder of its own: one of them alone takes up what all of them have left, and leaves the others be.
TEST(Reproduce, OfOneFigureTakesUpWhatIsThereOfAll) {
  const Scratch scratch;
  const auto reproduce = [&](const char* figure) {
    return dbandit({"reproduce", figure, "--replicas", "10", "--quiet", "--out", scratch / "paper"}, {.patience = 120});
  };
  ASSERT_EQ(reproduce("all").exit, 0);
  const std::string before = read_file(scratch / "paper/fig2/low/curve.csv") + read_file(scratch / "paper/fig1/low/curve.csv");
  ASSERT_EQ(reproduce("fig1").exit, 0);
  EXPECT_EQ(dbandit({"status", scratch / "paper"}).exit, 0);
  EXPECT_NE(dbandit({"status", scratch / "paper"}).out.find("5 of 5 runs finished"), std::string::npos);
  ASSERT_EQ(reproduce("all").exit, 0);
  EXPECT_EQ(read_file(scratch / "paper/fig2/low/curve.csv") + read_file(scratch / "paper/fig1/low/curve.csv"), before);
}

TEST(Status, TellsHowFarARunIsAndWhatContinuesIt) {
  const Scratch scratch;
  EXPECT_EQ(dbandit({"status", scratch.path().string()}).exit, 2);
  ASSERT_EQ(dbandit(run_of("d-ucb", 300) + Words{"--out", scratch / "r"}).exit, 0);
  const Outcome done = dbandit({"status", scratch / "r"});
  EXPECT_EQ(done.exit, 0);
  EXPECT_TRUE(done.out.starts_with(scratch / "r" + ": 100.0 % done, 1 of 1 run finished, ")) << done.out;
  EXPECT_EQ(done.out.find("continues"), std::string::npos);
  const Outcome json = dbandit({"status", scratch / "r", "--json"});
  EXPECT_NE(json.out.find("\"schema\":\"dbandit.status.v1\""), std::string::npos) << json.out;
}

}  // namespace
}  // namespace dbandit::test
