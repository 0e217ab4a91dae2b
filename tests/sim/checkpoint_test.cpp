#include "dbandit/sim/checkpoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/bytes.hpp"

namespace dbandit::sim {
namespace {

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

Prefix prefix(const Spec& spec, std::size_t blocks) {
  Settings shorter = *spec;
  shorter.replicas = static_cast<std::int64_t>(blocks * plan(spec).block_lanes);
  const Result result = run(shorter, {.threads = 1});
  return {blocks, result.stats, result.timing};
}

/// A header and two records.
std::string file(const Spec& spec) {
  return checkpoint_header(spec) + checkpoint_record(prefix(spec, 1)) + checkpoint_record(prefix(spec, 2));
}

struct Attempt {
  std::optional<Stored> stored;
  ExitCode code = ExitCode::done;
  std::string line;
};
Attempt attempt(std::string_view content, std::string_view version = kResultsVersion) {
  try {
    return {read_checkpoint(content, "d/checkpoint", version), ExitCode::done, ""};
  } catch (const UserError& error) {
    return {std::nullopt, error.code(), error.what()};
  }
}

/// Whether a changed file does no harm: refused as what it is, or continued from a prefix that was really stored.
testing::AssertionResult harmless(const Attempt& changed, const Spec& spec) {
  if (!changed.stored) {
    if (changed.code == ExitCode::damaged || changed.code == ExitCode::mismatch) return testing::AssertionSuccess();
    return testing::AssertionFailure() << changed.line;
  }
  if (changed.stored->spec != spec) return testing::AssertionFailure() << "another spec";
  const std::size_t blocks = changed.stored->prefix.blocks;
  if (blocks == 0) return testing::AssertionSuccess();
  static const std::string one = bytes(prefix(small(), 1).stats), two = bytes(prefix(small(), 2).stats);
  if (blocks > 2 || bytes(changed.stored->prefix.stats) != (blocks == 1 ? one : two)) return testing::AssertionFailure() << "other numbers";
  return testing::AssertionSuccess();
}

TEST(Codec, StatisticsReadBackToTheLastBit) {
  const Prefix before = prefix(small(), 2);
  Encoder encoder;
  encoder.prefix(before);
  const std::string content = encoder.take();
  Decoder decoder(content);
  const Prefix after = decoder.prefix(small());
  EXPECT_TRUE(decoder.is_whole());
  EXPECT_EQ(after.blocks, 2U);
  EXPECT_EQ(bytes(after.stats), bytes(before.stats));
  EXPECT_EQ(after.timing.policy_seconds, before.timing.policy_seconds);
}

TEST(Codec, NumbersOfEveryLengthReadBack) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1}) {
      Encoder encoder;
      encoder.number(value);
      const std::string content = encoder.take();
      Decoder decoder(content);
      EXPECT_EQ(decoder.number(), value);
      EXPECT_TRUE(decoder.is_whole());
    }
  }
}

TEST(Run, ContinuedFromAPrefixGivesTheBytesOfOneSitting) {
  for (const std::int64_t replicas : {256, 300, 1000}) {
    Settings spec = small();
    spec.replicas = replicas;
    const std::string whole = bytes(run(spec, {.threads = 2}).stats);
    for (const std::size_t blocks : {1, 2}) {
      const Prefix known = prefix(spec, blocks);
      const Result rest = run(spec, {.threads = 2, .from = &known});
      EXPECT_EQ(bytes(rest.stats), whole);
      EXPECT_EQ(rest.blocks_done, plan(spec).blocks);
      EXPECT_EQ(rest.timing.replica_rounds, 2.0 * 20 * static_cast<double>(replicas));
    }
  }
}

TEST(CheckpointFile, TheLastWholeRecordCounts) {
  const Attempt read = attempt(file(small()));
  ASSERT_TRUE(read.stored) << read.line;
  EXPECT_EQ(read.stored->spec, small());
  EXPECT_EQ(read.stored->prefix.blocks, 2U);
  EXPECT_EQ(read.stored->bytes, file(small()).size());
  EXPECT_EQ(read.stored->notice, "");
  EXPECT_TRUE(is_finished(*read.stored)) << "of 300 replicas two blocks of 128 are whole";
}

TEST(CheckpointFile, EveryTruncationIsDroppedWithANoticeOrRefused) {
  const std::string whole = file(small());
  const std::size_t header = checkpoint_header(small()).size();
  const std::size_t first = header + checkpoint_record(prefix(small(), 1)).size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Attempt cut = attempt(std::string_view(whole).substr(0, length));
    EXPECT_TRUE(harmless(cut, small())) << length;
    EXPECT_EQ(cut.stored.has_value(), length >= header) << length;
    if (!cut.stored) continue;
    EXPECT_EQ(cut.stored->prefix.blocks, length >= first ? 1U : 0U) << length;
    EXPECT_EQ(cut.stored->notice.empty(), length == header || length == first) << length;
  }
  std::printf("survived: %zu truncations\n", whole.size());
}

TEST(CheckpointFile, EveryFlippedBitIsRefusedWithThePlace) {
  const std::string whole = file(small());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Attempt read = attempt(flipped);
    ASSERT_FALSE(read.stored) << bit;
    EXPECT_EQ(read.code, ExitCode::damaged) << read.line;
    EXPECT_NE(read.line.find("at byte "), std::string::npos) << read.line;
  }
  std::printf("survived: %zu flipped bits\n", 8 * whole.size());
}

TEST(CheckpointFile, RandomMutationsAreRefusedOrHarmless) {
  constexpr int kMutations = 20000;
  const std::string whole = file(small());
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::string mutated = whole;
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(mutated.size()), length = 1 + below(std::min<std::size_t>(64, mutated.size() - at));
      switch (below(6)) {
        case 0:
          mutated[at] = static_cast<char>(below(256));
          break;
        case 1:
          mutated.erase(at, length);
          break;
        case 2:
          mutated.insert(at, whole.substr(std::min(at, whole.size()), length));
          break;
        case 3:
          mutated.replace(at, length, std::string(length, '\0'));
          break;
        case 4:
          mutated.resize(at + 1);
          break;
        default:
          mutated += whole.substr(below(whole.size()));
          break;
      }
    }
    const Attempt read = attempt(mutated);
    refused += !read.stored;
    ASSERT_TRUE(harmless(read, small())) << "mutation " << i;
  }
  std::printf("survived: %d random mutations, %d of them refused\n", kMutations, refused);
}

TEST(CheckpointFile, ZerosAtTheEndAreATailThatWasNeverWritten) {
  const Attempt read = attempt(file(small()) + std::string(4096, '\0'));
  ASSERT_TRUE(read.stored) << read.line;
  EXPECT_EQ(read.stored->prefix.blocks, 2U);
  EXPECT_EQ(read.stored->notice, "'d/checkpoint': the last 4096 bytes are not a whole record and were dropped");
}

TEST(CheckpointFile, OfAnotherVersionIsRefused) {
  const Attempt read = attempt(file(small()), "0.1/2");
  EXPECT_EQ(read.code, ExitCode::mismatch);
  EXPECT_EQ(read.line,
            "'d/checkpoint': written by a program whose results have version '0.1/1', these have 0.1/2; delete it to start over");
}

TEST(CheckpointFile, TellsTheFirstDifferenceOfTwoSpecsButNotTheReplicas) {
  Settings other = small();
  other.replicas = 7;
  EXPECT_EQ(difference(small(), other), std::nullopt);
  other.seed = 9;
  EXPECT_EQ(difference(small(), other), "seed = 1, not 9");
}

class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dbandit-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() override { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST_F(Folder, StaysSmallHoweverOftenARunIsStored) {
  Settings spec = small();
  spec.replicas = 128 * 200;
  {
    Checkpoint checkpoint(path, std::chrono::seconds(0));
    checkpoint.begin(spec, nullptr);
    run(spec, {.threads = 1, .folded = [&](const Result& result) { checkpoint.folded(result); }});
    EXPECT_EQ(checkpoint.blocks_stored(), 200U);
  }
  const std::optional<Stored> stored = Checkpoint(path).read();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->prefix.blocks, 200U);
  EXPECT_EQ(bytes(stored->prefix.stats), bytes(run(spec, {.threads = 1}).stats));
  const std::size_t one = checkpoint_header(spec).size() + checkpoint_record(stored->prefix).size();
  EXPECT_LE(std::filesystem::file_size(path / "checkpoint"), 10 * one);
}

TEST_F(Folder, IsForOneProcessAtATime) {
  const Checkpoint first(path);
  try {
    const Checkpoint second(path);
    FAIL() << "two of them";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::busy);
  }
}

}  // namespace
}  // namespace dbandit::sim
