#include "dbandit/sim/shard.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/checkpoint.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/bytes.hpp"
#include "sim/frames.hpp"

namespace dbandit::sim {
namespace {

/// Three blocks, the last one short.
Settings small() {
  Settings spec;
  spec.theta = {0.5, 0.3};
  spec.delay = model::Geometric{5};
  spec.censor = 10;
  spec.horizon = 20;
  spec.policies = {"d-ucb", "uniform"};
  spec.replicas = 300;
  spec.at = {10, 20};
  return spec;
}

struct Refusal {
  ExitCode code = ExitCode::done;
  std::string line;
};
Refusal refusal(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const UserError& error) {
    return {error.code(), error.what()};
  }
}

class Shards : public testing::Test {
 protected:
  Shards() {
    std::string name = (std::filesystem::temp_directory_path() / "dbandit-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Shards() override { std::filesystem::remove_all(path); }

  std::filesystem::path folder(const std::string& name) const {
    std::filesystem::create_directory(path / name);
    return path / name;
  }
  /// Stores blocks `first` to `end` of the spec as those of the shard, whatever the shard says.
  void store(const std::string& name, const Spec& spec, Shard shard, std::size_t first, std::size_t end) const {
    ShardFile file(folder(name), spec, shard, std::chrono::seconds(0));
    run_blocks(spec, {.threads = 1}, first, end, [&](const BlockOutcome& outcome) { file.add(outcome); });
    file.flush();
  }
  void store(const std::string& name, const Spec& spec, Shard shard) const {
    store(name, spec, shard, shard.begin(plan(spec)), shard.end(plan(spec)));
  }
  Refusal open(const std::string& name, const Spec& spec, Shard shard) const {
    return refusal([&] { const ShardFile file(path / name, spec, shard, std::chrono::seconds(0)); });
  }
  Refusal merge(const std::vector<std::string>& names) const {
    return refusal([&] {
      std::vector<std::filesystem::path> folders;
      for (const std::string& name : names) folders.push_back(path / name);
      merge_shards(folders);
    });
  }
  std::filesystem::path path;
};

TEST_F(Shards, MergedAreTheRun) {
  store("1", small(), {1, 2});
  store("2", small(), {2, 2});
  const Merged merged = merge_shards(std::vector{path / "2", path / "1"});
  EXPECT_EQ(merged.spec, small());
  EXPECT_EQ(merged.prefix.blocks, 3U);
  const Result whole = run(small(), {.threads = 1});
  EXPECT_EQ(bytes(merged.prefix.stats), bytes(whole.stats));
  EXPECT_EQ(merged.prefix.timing.replica_rounds, whole.timing.replica_rounds);
}

// A header whose checksum is right and whose numbers are those of no shard: files of other programs, or of a mistake of ours.
TEST_F(Shards, AHeaderThatNamesNoShardIsDamage) {
  for (const Shard wrong : {Shard{0, 3}, Shard{4, 3}, Shard{1, 0}, Shard{1, 1000001}}) {
    store("wrong", small(), wrong, 0, 0);
    const Refusal refused = open("wrong", small(), wrong);
    EXPECT_EQ(refused.code, ExitCode::damaged) << wrong.index << "/" << wrong.count;
    EXPECT_NE(refused.line.find("the header does not hold a shard"), std::string::npos) << refused.line;
    EXPECT_EQ(merge({"wrong"}).code, ExitCode::damaged);
    std::filesystem::remove_all(path / "wrong");
  }
  store("widest", small(), {1000000, 1000000}, 0, 0);
  EXPECT_EQ(open("widest", small(), {1000000, 1000000}).line, "");
}

TEST_F(Shards, AHeaderThatHoldsMoreOrLessThanAShardIsDamage) {
  for (const std::size_t numbers : {1, 2, 3}) {
    Encoder encoder;
    write_identity(encoder, small(), kResultsVersion);
    for (std::size_t i = 0; i < numbers; ++i) encoder.number(1);
    std::ofstream(folder("1") / "shard", std::ios::binary) << header_frame(encoder.take());
    EXPECT_EQ(open("1", small(), {1, 1}).code, numbers == 2 ? ExitCode::done : ExitCode::damaged) << numbers;
  }
}

TEST_F(Shards, MoreBlocksThanTheShardHasAreDamage) {
  store("1", small(), {1, 3}, 0, 2);
  for (const Refusal& refused : {open("1", small(), {1, 3}), merge({"1"})}) {
    EXPECT_EQ(refused.code, ExitCode::damaged);
    EXPECT_NE(refused.line.find("more blocks than the shard has"), std::string::npos) << refused.line;
  }
  store("2", small(), {2, 3}, 1, 2);
  EXPECT_EQ(open("2", small(), {2, 3}).line, "");
}

TEST_F(Shards, AreContinuedOnlyByTheirOwnRun) {
  store("1", small(), {1, 2});
  EXPECT_EQ(open("1", small(), {1, 2}).line, "");
  const std::string file = "'" + (path / "1/shard").string() + "': ";
  EXPECT_EQ(open("1", small(), {2, 2}).line, file + "holds shard 1/2");
  EXPECT_EQ(open("1", small(), {1, 3}).line, file + "holds shard 1/2");
  Settings other = small();
  other.replicas = 301;
  const Refusal refused = open("1", other, {1, 2});
  EXPECT_EQ(refused.code, ExitCode::mismatch);
  EXPECT_EQ(refused.line, file + "holds a run with replicas = 300, not 301");
  other = small();
  other.seed = 9;
  EXPECT_EQ(open("1", other, {1, 2}).line, file + "holds a run with seed = 1, not 9");
}

TEST_F(Shards, OfRunsThatDifferOnlyInTheirReplicasAreNotMerged) {
  Settings other = small();
  other.replicas = 301;  // as many blocks, but the last one is longer
  store("1", small(), {1, 2});
  store("2", other, {2, 2});
  const Refusal refused = merge({"1", "2"});
  EXPECT_EQ(refused.code, ExitCode::mismatch);
  EXPECT_EQ(refused.line, "'" + (path / "2/shard").string() + "': of another run than the first: replicas = 301");
}

TEST_F(Shards, OfDifferentNumbersAreNotMerged) {
  store("1", small(), {1, 2});
  store("2", small(), {2, 3});
  const Refusal refused = merge({"1", "2"});
  EXPECT_EQ(refused.code, ExitCode::mismatch);
  EXPECT_NE(refused.line.find("the number of shards is not that of the first"), std::string::npos) << refused.line;
}

TEST_F(Shards, ARecordOfAnotherShapeIsDamage) {
  Settings other = small();
  other.policies = {"d-ucb"};
  store("1", small(), {1, 1}, 0, 0);
  {
    ShardFile file(path / "1", small(), {1, 1}, std::chrono::seconds(0));
    run_blocks(other, {.threads = 1}, 0, 3, [&](const BlockOutcome& outcome) { file.add(outcome); });
    file.flush();
  }
  EXPECT_EQ(merge({"1"}).code, ExitCode::damaged);
}

TEST_F(Shards, AreContinuedAfterTheirLastRecordWasCutOff) {
  store("1", small(), {1, 1}, 0, 2);
  std::filesystem::resize_file(path / "1/shard", std::filesystem::file_size(path / "1/shard") - 5);
  for (std::size_t stored = 1; stored < 3; ++stored) {
    ShardFile file(path / "1", small(), {1, 1}, std::chrono::seconds(0));
    EXPECT_EQ(file.blocks_stored(), stored);
    EXPECT_EQ(file.notice().empty(), stored == 2) << file.notice();
    run_blocks(small(), {.threads = 1}, stored, stored + 1, [&](const BlockOutcome& outcome) { file.add(outcome); });
    file.flush();
  }
  EXPECT_EQ(bytes(merge_shards(std::vector{path / "1"}).prefix.stats), bytes(run(small(), {.threads = 1}).stats));
}

}  // namespace
}  // namespace dbandit::sim
