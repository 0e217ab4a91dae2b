#include <gtest/gtest.h>

#include "cli/kept.hpp"

/// --shard and merge: machines that do not know of each other.
namespace dbandit::test {
namespace {

using std::chrono_literals::operator""ms;

/// 11 blocks, the last one short.
Words run() { return run_of("d-klucb,uniform", 128 * 10 + 7); }

Words shard(const Scratch& scratch, int index, int count) {
  return run() + Words{"--shard", std::to_string(index) + "/" + std::to_string(count), "--out", scratch / std::to_string(index)};
}

TEST(Merge, OfAnyNumberOfShardsInAnyOrderGivesTheBytesOfOneRun) {
  const Scratch whole;
  ASSERT_EQ(dbandit(run() + Words{"--out", whole / "r"}).exit, 0);
  for (const int count : {1, 3, 13}) {  // 13: some shards are empty
    const Scratch scratch;
    Words merge{"merge", "--quiet", "--out", scratch / "merged"};
    for (int index = count; index >= 1; --index) {
      const Outcome outcome = dbandit(shard(scratch, index, count));
      ASSERT_EQ(outcome.exit, 0) << outcome.err;
      merge.push_back(scratch / std::to_string(index));
    }
    const Outcome outcome = dbandit(merge);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(kept(scratch / "merged"), kept(whole / "r")) << count;
  }
}

/// One set of sums, whatever the number of blocks.
TEST(Shard, OfAHundredTimesTheReplicasIsHardlyLarger) {
  const Scratch scratch;
  const auto size_of = [&](int replicas, const std::string& name) {
    EXPECT_EQ(dbandit(run_of("d-klucb,uniform", replicas) + Words{"--shard", "1/2", "--out", scratch / name}).exit, 0);
    EXPECT_EQ(dbandit(run_of("d-klucb,uniform", replicas) + Words{"--shard", "1/2", "--out", scratch / name}).exit, 0);
    return std::filesystem::file_size(scratch.path() / name / "checkpoint");
  };
  const auto few = size_of(128 * 20, "few"), many = size_of(128 * 2000, "many");
  EXPECT_LT(many, 12 * few) << "a hundred times the blocks; a file may hold the last few records";
}

TEST(Merge, RefusesWhatIsNotAllOfOneRun) {
  const Scratch scratch;
  for (const int index : {1, 2, 3}) ASSERT_EQ(dbandit(shard(scratch, index, 3)).exit, 0);
  Words other = shard(scratch, 2, 3);
  *(std::find(other.begin(), other.end(), "--seed") + 1) = "8";
  other.back() = scratch / "other";
  ASSERT_EQ(dbandit(other).exit, 0);
  const auto refusal = [&](const Words& directories, int exit) {
    Words words{"merge"};
    for (const std::string& name : directories) words.push_back(scratch / name);
    const Outcome outcome = dbandit(words);
    EXPECT_EQ(outcome.exit, exit) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(refusal({"1", "3"}, 5).find("are in none of the shards"), std::string::npos);
  EXPECT_NE(refusal({"1", "2", "2"}, 5).find("has blocks that another shard has too"), std::string::npos);
  EXPECT_NE(refusal({"1", "other", "3"}, 5).find("of another run than the first: seed = 7, not 8"), std::string::npos);
  EXPECT_NE(refusal({"1", "none"}, 4).find("there is no shard in it"), std::string::npos);
  std::string content = read_file(scratch / "2/checkpoint");
  write_file(scratch / "2/checkpoint", content.substr(0, content.size() - 3));
  EXPECT_NE(refusal({"1", "2", "3"}, 5).find("are in none of the shards"), std::string::npos) << "the last record was cut off";
  content[content.size() / 2] ^= 1;
  write_file(scratch / "2/checkpoint", content);
  EXPECT_NE(refusal({"1", "2", "3"}, 6).find("damaged at byte "), std::string::npos);
}

TEST(Shard, NeedsAFolder) {
  const Outcome outcome = dbandit(run() + Words{"--shard", "1/4"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err, "dbandit: --shard: needs --out, where its sums are stored\n");
}

TEST(Shard, ThatWasKilledIsContinuedByTheSameCommand) {
  const Scratch scratch;
  const Words words = run_of("d-ucb", 128 * 60, "reference") + Words{"--shard", "1/1", "--out", scratch / "1"};
  int killed = 0;
  for (int i = 0; i < 5; ++i)
    killed += dbandit(words, {.interrupt_after = std::chrono::milliseconds(2 * i), .interrupt_by = SIGKILL}).exit != 0;
  for (int i = 0; i < 10; ++i) killed += dbandit(words, {.interrupt_after = 15ms, .interrupt_by = SIGKILL}).exit != 0;
  ASSERT_EQ(dbandit(words).exit, 0);
  ASSERT_EQ(dbandit({"merge", scratch / "1", "--out", scratch / "merged", "--quiet"}).exit, 0);
  ASSERT_EQ(dbandit(run_of("d-ucb", 128 * 60, "reference") + Words{"--out", scratch / "whole"}).exit, 0);
  EXPECT_EQ(kept(scratch / "merged"), kept(scratch / "whole"));
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace dbandit::test
