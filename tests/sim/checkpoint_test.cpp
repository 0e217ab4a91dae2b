#include "dbandit/sim/checkpoint.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/bytes.hpp"
#include "sim/frames.hpp"

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

// The best arm shows nothing in these 20 rounds, the other at once: every regret is negative.
TEST(Codec, QuantilesOfNegativeRegretsReadBack) {
  Settings spec = small();
  spec.theta = {0.5, 0.45};
  spec.delay = model::parse_delays("constant:50,constant:0");
  spec.exposure = model::Exposure::buffer;
  spec.censor.reset();
  spec.policies = {"uniform"};
  const Prefix before = prefix(spec, 1);
  const stats::Quantiles& quantiles = before.stats.policies[0].final_regret();
  ASSERT_LT(quantiles.quantile(0.99), 0);
  Encoder encoder;
  encoder.prefix(before);
  const std::string content = encoder.take();
  Decoder decoder(content);
  EXPECT_EQ(decoder.prefix(spec).stats.policies[0].final_regret().bins(), quantiles.bins());
  EXPECT_TRUE(decoder.is_whole());
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

// A bin is the leading bits of a double, exponent and ten bits of the mantissa: that of infinity is the first that no value has.
TEST(Codec, BinsBeyondTheLargestDoubleAreRefused) {
  const auto bin_of = [](double value) { return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value) >> (52 - 10)); };
  const std::int32_t largest = bin_of(std::numeric_limits<double>::max()), infinite = bin_of(std::numeric_limits<double>::infinity());
  ASSERT_EQ(infinite, largest + 1);
  for (const std::int32_t bin : {0, largest, infinite, -largest, -infinite, std::numeric_limits<std::int32_t>::min()}) {
    Prefix odd = prefix(small(), 1);
    odd.stats.policies[0].spread[0].add(bin, 1);
    Encoder encoder;
    encoder.prefix(odd);
    const std::string content = encoder.take();
    Decoder decoder(content);
    const Prefix after = decoder.prefix(small());
    const bool is_bin = -largest <= bin && bin <= largest;
    EXPECT_EQ(decoder.is_whole(), is_bin) << bin;
    if (is_bin) {
      EXPECT_EQ(bytes(after.stats), bytes(odd.stats)) << bin;
    }
  }
}

TEST(Run, ContinuedFromAPrefixAddsItsSecondsToThoseBefore) {
  Settings spec = small();
  spec.replicas = 1000;
  Prefix known = prefix(spec, 2);
  known.timing.seconds = 1e6;  // days: no machine adds as much
  known.timing.policy_seconds = {1e5, 2e5};
  std::vector<double> seen;
  const Result rest =
      run(spec, {.threads = 1, .folded = [&](const Result& so_far) { seen.push_back(so_far.timing.seconds); }, .from = &known});
  ASSERT_EQ(seen.size(), 6U);
  for (const double seconds : seen) EXPECT_GE(seconds, 1e6) << "what a checkpoint stores";
  EXPECT_GE(rest.timing.seconds, 1e6);
  EXPECT_GE(rest.timing.policy_seconds[0], 1e5);
  EXPECT_GE(rest.timing.policy_seconds[1], 2e5);
  // A run that has nothing left to do was not free either.
  Settings done = small();
  done.replicas = 256;
  EXPECT_GE(run(done, {.threads = 1, .from = &known}).timing.seconds, 1e6);
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
  const Attempt read = attempt(file(small()), "0.1/3");
  EXPECT_EQ(read.code, ExitCode::mismatch);
  EXPECT_EQ(read.line,
            "'d/checkpoint': written by a program whose results have version '0.1/2', these have 0.1/3; delete it to start over");
}

// Frames whose checksums are right and that hold more than they should, or statistics of more blocks than the run has.
TEST(CheckpointFile, ThatHoldsMoreThanItsSpecIsDamaged) {
  const Spec spec = small();
  const auto header = [&](std::string_view more) {
    Encoder encoder;
    write_identity(encoder, spec, kResultsVersion);
    return header_frame(encoder.take() + std::string(more));
  };
  const auto record = [&](std::size_t blocks, std::string_view more) {
    Prefix longer = prefix(spec, 1);
    longer.blocks = blocks;
    Encoder encoder;
    encoder.prefix(longer);
    return record_frame(encoder.take() + std::string(more));
  };
  EXPECT_TRUE(attempt(header("") + record(2, "")).stored) << "of 300 replicas two blocks of 128 are whole";
  for (const std::string& wrong : {header("x"), header("") + record(3, ""), header("") + record(2, "x")}) {
    EXPECT_EQ(attempt(wrong).code, ExitCode::damaged);
  }
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

/// Continues the run in the folder by one block, as a run does that is interrupted again; the notice that it began with.
std::string continue_by_a_block(const std::filesystem::path& path, const Spec& spec) {
  Checkpoint checkpoint(path, std::chrono::seconds(0));
  const std::optional<Stored> stored = checkpoint.read();
  checkpoint.begin(spec, stored ? &*stored : nullptr);
  std::stop_source source;
  const auto folded = [&](const Result& result) {
    checkpoint.folded(result);
    source.request_stop();
  };
  run(spec, {.threads = 1,
             .executor = Executor::serial,
             .folded = folded,
             .from = stored ? &stored->prefix : nullptr,
             .stop = source.get_token()});
  return stored ? stored->notice : "";
}

// What is left of a record must go before the next one is appended, or the file is damaged for whoever comes after.
TEST_F(Folder, WhoseLastRecordWasCutOffIsContinuedAgainAndAgain) {
  Settings spec = small();
  spec.replicas = 128 * 6;
  for (int i = 0; i < 2; ++i) continue_by_a_block(path, spec);
  std::filesystem::resize_file(path / "checkpoint", std::filesystem::file_size(path / "checkpoint") - 5);
  EXPECT_NE(continue_by_a_block(path, spec), "") << "the second block is lost";
  for (std::size_t blocks = 2; blocks < 6; ++blocks) {
    const std::optional<Stored> stored = Checkpoint(path).read();
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->prefix.blocks, blocks);
    EXPECT_EQ(bytes(stored->prefix.stats), bytes(prefix(spec, blocks).stats));
    EXPECT_EQ(continue_by_a_block(path, spec), "") << "the file is whole again";
  }
  EXPECT_TRUE(is_finished(*Checkpoint(path).read()));
}

TEST_F(Folder, OfAnExtendedRunHasTheLongerSpec) {
  Settings spec = small();
  spec.replicas = 128 * 2;
  for (int i = 0; i < 2; ++i) continue_by_a_block(path, spec);
  spec.replicas = 128 * 4;
  for (std::size_t blocks = 3; blocks <= 4; ++blocks) {
    continue_by_a_block(path, spec);
    const std::optional<Stored> stored = Checkpoint(path).read();
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->spec, spec);
    EXPECT_EQ(stored->prefix.blocks, blocks);
  }
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
