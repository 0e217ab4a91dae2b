#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <random>

#include "dbandit/sim/spec_file.hpp"
#include "sim/checkpoints.hpp"
#include "sim/frames.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

/// A checkpoint file: what is read of it, whatever happened to its bytes.
namespace dbandit::sim {
namespace {

/// A header and two records of one run.
std::string file(const Spec& spec) { return checkpoint_header() + record(spec, {1}) + record(spec, {1, 2}); }

/// Whether a changed file does no harm: refused as what it is, or continued from what was really stored.
testing::AssertionResult harmless(const Attempt& changed, const Spec& spec) {
  if (!changed.stored) {
    if (changed.code == ExitCode::damaged || changed.code == ExitCode::mismatch) return testing::AssertionSuccess();
    return testing::AssertionFailure() << changed.line;
  }
  if (changed.stored->runs.empty()) return testing::AssertionSuccess();
  if (changed.stored->runs.size() > 1 || changed.stored->runs.front().spec != spec) return testing::AssertionFailure() << "another spec";
  const RunState& state = changed.stored->runs.front().state;
  static const std::string one = sums_text(state_of(small(), {1}), small()), two = sums_text(state_of(small(), {1, 2}), small());
  if (sums_text(state, spec) != (state.blocks() == 1 ? one : two)) return testing::AssertionFailure() << "other numbers";
  return testing::AssertionSuccess();
}

TEST(CheckpointFile, OfARunTheLastWholeRecordCounts) {
  const Attempt read = attempt(file(small()));
  ASSERT_TRUE(read.stored) << read.line;
  ASSERT_EQ(read.stored->runs.size(), 1U);
  EXPECT_EQ(read.stored->runs[0].spec, small());
  EXPECT_EQ(read.stored->runs[0].state.blocks(), 2U);
  EXPECT_FALSE(read.stored->runs[0].is_finished());
  EXPECT_EQ(read.stored->bytes, file(small()).size());
  EXPECT_EQ(read.stored->notice, "");
  EXPECT_TRUE(attempt(checkpoint_header() + record(small(), {2, 0, 1})).stored->runs[0].is_finished());
}

TEST(CheckpointFile, HoldsManyRunsAndTheCommandThatTheyAreOf) {
  Settings other = small();
  other.seed = 9;
  const std::vector<std::string> command{"sweep", "--vary", "censor=5,10"};
  const Attempt read = attempt(checkpoint_header(command) + record(small(), {0}) + record(other, {1}) + record(small(), {0, 1}));
  ASSERT_TRUE(read.stored) << read.line;
  EXPECT_EQ(read.stored->command, command);
  ASSERT_EQ(read.stored->runs.size(), 2U);
  EXPECT_EQ(read.stored->find(small())->state.blocks(), 2U);
  EXPECT_EQ(read.stored->find(other)->state.blocks(), 1U);
  other.seed = 10;
  EXPECT_EQ(read.stored->find(other), nullptr);
}

TEST(CheckpointFile, EveryTruncationIsDroppedWithANoticeOrRefused) {
  const std::string whole = file(small());
  const std::size_t header = checkpoint_header().size(), first = header + record(small(), {1}).size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Attempt cut = attempt(std::string_view(whole).substr(0, length));
    EXPECT_TRUE(harmless(cut, small())) << length;
    EXPECT_EQ(cut.stored.has_value(), length >= header) << length;
    if (!cut.stored) continue;
    EXPECT_EQ(cut.stored->runs.size(), length >= first ? 1U : 0U) << length;
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
  EXPECT_EQ(read.stored->runs[0].state.blocks(), 2U);
  EXPECT_EQ(read.stored->notice, "'d/checkpoint': the last 4096 bytes are not a whole record and were dropped");
}

TEST(CheckpointFile, OfAnotherVersionIsRefused) {
  const Attempt read = attempt(file(small()), "9.9/9");
  EXPECT_EQ(read.code, ExitCode::mismatch);
  EXPECT_EQ(read.line, "'d/checkpoint': written by a program whose results have version '" + std::string(kResultsVersion) +
                           "', these have 9.9/9; delete it to start over");
}

// Version 0.1 wrote format 1: the same header, its records of every block. A header tells before a record is read.
TEST(CheckpointFile, OfAnOlderFormatIsRefusedByItsVersionInOneLine) {
  std::string old = header_frame("0.1/2");
  old[8] = 1;
  const std::size_t end = old.size() - 8;
  const std::uint64_t sum = XXH3_64bits(old.data(), end);
  std::memcpy(old.data() + end, &sum, sizeof sum);
  const Attempt read = attempt(old + "fold and more of what was written then");
  EXPECT_EQ(read.code, ExitCode::mismatch);
  EXPECT_EQ(read.line, "'d/checkpoint': written in format 1, this program reads 2; delete it to start over");
}

// Frames whose checksums are right and that hold more than they should, or sums of blocks that the run does not have.
TEST(CheckpointFile, ThatHoldsMoreThanItsSpecIsDamaged) {
  const Spec spec = small();
  const auto framed = [&](const RunState& state, std::string_view more) {
    Encoder encoder;
    encoder.text(spec_text(spec));
    encoder.state(state);
    return checkpoint_header() + record_frame(encoder.take() + std::string(more));
  };
  const RunState good = state_of(spec, {0, 1, 2});
  EXPECT_TRUE(attempt(framed(good, "")).stored);
  RunState beyond = good, swapped = good;
  beyond.whole.blocks = Coverage({1, 3});  // the third block is short
  swapped.last.blocks = Coverage({1, 2});
  for (const std::string& wrong : {framed(good, "x"), framed(beyond, ""), framed(swapped, ""),
                                   header_frame(checkpoint_header().substr(16, 6) + "more"), checkpoint_header() + record_frame("")}) {
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

}  // namespace
}  // namespace dbandit::sim
