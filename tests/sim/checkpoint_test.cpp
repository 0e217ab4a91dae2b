#include "sim/checkpoint.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/bytes.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/frames.hpp"
#include "sim/job.hpp"
#include "sim/sums.hpp"

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

/// What these blocks of a run add up to.
RunState state_of(const Spec& spec, const std::vector<std::size_t>& blocks) {
  const RunOptions options{.threads = 1};
  Run run(spec, options, 1);
  BlockScratch scratch;
  RunSums outcome;
  for (const std::size_t block : blocks) {
    run.simulate(block, scratch, outcome);
    run.add(outcome);
  }
  return run.state();
}

std::string record(const Spec& spec, const std::vector<std::size_t>& blocks) { return checkpoint_record(spec, state_of(spec, blocks)); }

/// A header and two records of one run.
std::string file(const Spec& spec) { return checkpoint_header() + record(spec, {1}) + record(spec, {1, 2}); }

std::string sums_text(const RunState& state, const Spec& spec) { return bytes(statistics(state.total(), plan(spec).grid)); }

struct Attempt {
  std::optional<Stored> stored;
  ExitCode code = ExitCode::done;
  std::string line;
};
Attempt attempt(const std::function<Stored()>& read) {
  try {
    return {read(), ExitCode::done, ""};
  } catch (const UserError& error) {
    return {std::nullopt, error.code(), error.what()};
  }
}
Attempt attempt(std::string_view content, std::string_view version = kResultsVersion) {
  return attempt([&] { return read_checkpoint(content, "d/checkpoint", version); });
}

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

TEST(Codec, SumsReadBackToTheLastBit) {
  const RunState before = state_of(small(), {0, 2});
  Encoder encoder;
  encoder.state(before);
  const std::string content = encoder.take();
  Decoder decoder(content);
  const RunState after = decoder.state(small());
  EXPECT_TRUE(decoder.is_whole());
  EXPECT_EQ(after.whole.blocks, before.whole.blocks);
  EXPECT_EQ(after.last.blocks, before.last.blocks);
  EXPECT_EQ(after.whole.policies[1].regret, before.whole.policies[1].regret);
  EXPECT_EQ(sums_text(after, small()), sums_text(before, small()));
  EXPECT_EQ(after.whole.timing.policy_seconds, before.whole.timing.policy_seconds);
}

// The best arm shows nothing in these 20 rounds, the other at once: every regret is negative.
TEST(Codec, QuantilesOfNegativeRegretsReadBack) {
  Settings spec = small();
  spec.theta = {0.5, 0.45};
  spec.delay = model::parse_delays("constant:50,constant:0");
  spec.exposure = model::Exposure::buffer;
  spec.censor.reset();
  spec.policies = {"uniform"};
  const RunState before = state_of(spec, {0});
  const stats::Quantiles& quantiles = before.whole.policies[0].spread.back();
  ASSERT_LT(quantiles.quantile(0.99), 0);
  Encoder encoder;
  encoder.state(before);
  const std::string content = encoder.take();
  Decoder decoder(content);
  EXPECT_EQ(decoder.state(spec).whole.policies[0].spread.back().bins(), quantiles.bins());
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
  for (const std::int32_t bin : {0, largest, infinite, std::numeric_limits<std::int32_t>::max()}) {
    RunState odd = state_of(small(), {0});
    odd.whole.policies[0].spread[0].add(bin, 1);
    Encoder encoder;
    encoder.state(odd);
    const std::string content = encoder.take();
    Decoder decoder(content);
    const RunState after = decoder.state(small());
    EXPECT_EQ(decoder.is_whole(), bin <= largest) << bin;
    if (bin <= largest) {
      EXPECT_EQ(sums_text(after, small()), sums_text(odd, small())) << bin;
    }
  }
}

TEST(Codec, CoverageHasOneForm) {
  const auto read = [](const std::vector<std::uint64_t>& numbers) {
    Encoder encoder;
    for (const std::uint64_t number : numbers) encoder.number(number);
    const std::string content = encoder.take();
    Decoder decoder(content);
    static_cast<void>(decoder.coverage());
    return decoder.is_whole();
  };
  EXPECT_TRUE(read({2, 0, 3, 5, 6}));
  EXPECT_FALSE(read({2, 5, 6, 0, 3})) << "falling";
  EXPECT_FALSE(read({2, 0, 3, 2, 6})) << "twice";
  EXPECT_FALSE(read({2, 0, 3, 3, 6})) << "touching";
  EXPECT_FALSE(read({1, 3, 3})) << "empty";
  EXPECT_FALSE(read({1000000000, 0, 3})) << "cut off";
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

class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dbandit-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() override { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& content) const { std::ofstream(path / name, std::ios::binary) << content; }
  std::filesystem::path path;
};

/// Continues the run in the folder by about so many blocks, as a run does that is interrupted again; the notice that it began with.
std::string continue_by(std::size_t blocks, const std::filesystem::path& path, const Spec& spec) {
  Checkpoint checkpoint(path, std::chrono::seconds(0));
  const std::string notice = checkpoint.stored() ? checkpoint.stored()->notice : "";
  std::stop_source source;
  std::size_t seen = 0;
  run(spec, {.threads = 1,
             .executor = Executor::serial,
             .progress =
                 [&](std::size_t, std::size_t) {
                   if (++seen == blocks) source.request_stop();
                 },
             .checkpoint = &checkpoint,
             .stop = source.get_token()});
  return notice;
}

TEST_F(Folder, StaysSmallHoweverOftenARunIsStored) {
  Settings spec = small();
  spec.replicas = 128 * 200;
  continue_by(1000, path, spec);
  const std::optional<Stored> stored = read_checkpoints(path);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->runs[0].is_finished());
  EXPECT_EQ(sums_text(stored->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
  const std::size_t one = checkpoint_header().size() + checkpoint_record(spec, stored->runs[0].state).size();
  EXPECT_LE(std::filesystem::file_size(path / "checkpoint"), 10 * one);
}

TEST_F(Folder, IsContinuedToTheBytesOfOneSession) {
  for (const std::int64_t replicas : {100, 256, 300, 1000}) {
    Settings spec = small();
    spec.replicas = replicas;
    const std::size_t blocks = plan(spec).blocks;
    for (std::size_t i = 0; i < blocks; ++i) continue_by(1, path, spec);
    const std::optional<Stored> stored = read_checkpoints(path);
    ASSERT_TRUE(stored && stored->runs[0].is_finished()) << replicas;
    const Result again = [&] {
      Checkpoint checkpoint(path);
      return run(spec, {.threads = 2, .progress = [](std::size_t, std::size_t) { ADD_FAILURE() << "a block was simulated again"; }, .checkpoint = &checkpoint});
    }();
    EXPECT_EQ(bytes(again.stats), bytes(run(spec, {.threads = 2}).stats)) << replicas;
    EXPECT_EQ(again.timing.replica_rounds, 2.0 * 20 * static_cast<double>(replicas));
    std::filesystem::remove(path / "checkpoint");
  }
}

// What is left of a record must go before the next one is appended, or the file is damaged for whoever comes after.
TEST_F(Folder, WhoseLastRecordWasCutOffIsContinuedAgainAndAgain) {
  Settings spec = small();
  spec.replicas = 128 * 6;
  for (int i = 0; i < 2; ++i) continue_by(1, path, spec);
  std::filesystem::resize_file(path / "checkpoint", std::filesystem::file_size(path / "checkpoint") - 5);
  EXPECT_NE(continue_by(1, path, spec), "") << "the second block is lost";
  for (std::size_t blocks = 2; blocks < 6; ++blocks) {
    const std::optional<Stored> stored = read_checkpoints(path);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->runs[0].state.blocks(), blocks);
    EXPECT_EQ(continue_by(1, path, spec), "") << "the file is whole again";
  }
  EXPECT_TRUE(read_checkpoints(path)->runs[0].is_finished());
}

TEST_F(Folder, OfAnExtendedRunKeepsItsWholeBlocks) {
  Settings spec = small();
  spec.replicas = 128 * 2 + 5;
  continue_by(3, path, spec);
  ASSERT_TRUE(read_checkpoints(path)->runs[0].is_finished());
  spec.replicas = 128 * 4;
  continue_by(1, path, spec);
  const std::optional<Stored> stored = read_checkpoints(path);
  EXPECT_EQ(stored->runs[0].spec, spec);
  EXPECT_EQ(stored->runs[0].state.blocks(), 3U) << "two that were whole, and one; the short one was for 261 replicas";
  continue_by(9, path, spec);
  EXPECT_EQ(sums_text(read_checkpoints(path)->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
}

TEST_F(Folder, AddsTheSecondsOfASessionToThoseBefore) {
  RunState known = state_of(small(), {0});
  known.whole.timing.seconds = 1e6;  // days: no machine adds as much
  known.whole.timing.policy_seconds = {1e5, 2e5};
  write("checkpoint", checkpoint_header() + checkpoint_record(small(), known));
  continue_by(1, path, small());
  EXPECT_GE(read_checkpoints(path)->runs[0].state.whole.timing.seconds, 1e6);
  Checkpoint checkpoint(path);
  const Result rest = run(small(), {.threads = 1, .checkpoint = &checkpoint});
  EXPECT_GE(rest.timing.seconds, 1e6);
  EXPECT_GE(rest.timing.policy_seconds[0], 1e5);
  EXPECT_GE(rest.timing.policy_seconds[1], 2e5);
}

// Under mpirun every rank has a file; whatever died when, each block counts once.
TEST_F(Folder, TakesUpWhatOtherRanksHaveStored) {
  Settings spec = small();
  spec.replicas = 128 * 5;
  write("checkpoint", checkpoint_header() + record(spec, {0, 3}));
  write("checkpoint.1", checkpoint_header() + record(spec, {1}));
  write("checkpoint.2", checkpoint_header() + record(spec, {3}));  // gathered before, but not yet removed
  EXPECT_EQ(read_checkpoints(path)->runs[0].state.blocks(), 3U);
  continue_by(9, path, spec);
  EXPECT_FALSE(std::filesystem::exists(path / "checkpoint.1"));
  EXPECT_FALSE(std::filesystem::exists(path / "checkpoint.2"));
  EXPECT_EQ(sums_text(read_checkpoints(path)->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
}

TEST_F(Folder, InWhichTwoRanksHaveOneBlockAndOthersIsDamaged) {
  Settings spec = small();
  spec.replicas = 128 * 5;
  write("checkpoint", checkpoint_header() + record(spec, {0, 1}));
  write("checkpoint.1", checkpoint_header() + record(spec, {1, 2}));
  EXPECT_EQ(attempt([&] { return *read_checkpoints(path); }).code, ExitCode::damaged);
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

/// Checkpoints of parts of runs, in folders of their own.
class Shards : public Folder {
 protected:
  std::filesystem::path store(const std::string& name, const std::vector<std::pair<Spec, std::vector<std::size_t>>>& runs) const {
    std::string content = checkpoint_header();
    for (const auto& [spec, blocks] : runs) content += record(spec, blocks);
    std::filesystem::create_directory(path / name);
    write(name + "/checkpoint", content);
    return path / name;
  }
  static std::string refusal(const std::vector<std::filesystem::path>& folders) {
    try {
      static_cast<void>(merge_checkpoints(folders));
      return "";
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::mismatch);
      return error.what();
    }
  }
};

TEST_F(Shards, MergedInAnyOrderAreTheRun) {
  const auto a = store("a", {{small(), {2}}}), b = store("b", {{small(), {0}}}), c = store("c", {{small(), {1}}});
  for (const auto& folders : {std::vector{a, b, c}, std::vector{c, a, b}, std::vector{b, c, a}}) {
    const std::vector<StoredRun> merged = merge_checkpoints(folders);
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_EQ(bytes(results_of(merged, nullptr).front().stats), bytes(run(small(), {.threads = 1}).stats));
  }
}

TEST_F(Shards, OfAStudyAreMergedRunByRun) {
  Settings other = small();
  other.seed = 9;
  const auto a = store("a", {{small(), {0, 1}}, {other, {2}}}), b = store("b", {{small(), {2}}, {other, {1, 0}}});
  const std::vector<StoredRun> merged = merge_checkpoints(std::vector{a, b});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(bytes(results_of(merged, nullptr)[1].stats), bytes(run(other, {.threads = 1}).stats));
}

TEST_F(Shards, SayWhatIsMissingOrThereTwice) {
  const auto a = store("a", {{small(), {0}}}), b = store("b", {{small(), {1, 2}}}), c = store("c", {{small(), {2}}});
  EXPECT_EQ(refusal({a, b}), "");
  EXPECT_EQ(refusal({a, c}), "'" + a.string() + "': replicas 129 to 256 of 300 are in none of the shards");
  EXPECT_EQ(refusal({a, b, c}), "'" + c.string() + "': has blocks that another shard has too");
  Settings other = small();
  other.seed = 9;
  EXPECT_EQ(refusal({a, store("d", {{other, {1, 2}}})}), "'" + (path / "d").string() + "': of another run than the first: seed = 1, not 9");
}

TEST_F(Shards, AreNamedByTwoNumbers) {
  EXPECT_EQ(parse_shard("2/5"), (Shard{2, 5}));
  EXPECT_EQ(parse_shard("1000000/1000000"), (Shard{1000000, 1000000}));
  for (const char* text : {"", "/", "1/", "/1", "0/5", "6/5", "1/1000001", "-1/5", "1/5x", "1 /5", "99999999999999999999/5"}) {
    EXPECT_EQ(parse_shard(text), std::nullopt) << text;
  }
}

TEST_F(Shards, CoverEveryBlockOnce) {
  for (const std::int64_t replicas : {1, 300, 128 * 1000 + 1}) {
    Settings spec = small();
    spec.replicas = replicas;
    const Plan blocks = plan(spec);
    for (const std::size_t count : {1, 2, 3, 7, 1001}) {
      std::size_t next = 0;
      for (std::size_t index = 1; index <= count; ++index) {
        EXPECT_EQ(blocks.part({index, count}).first, next);
        next = blocks.part({index, count}).end;
      }
      EXPECT_EQ(next, blocks.blocks);
    }
  }
}

}  // namespace
}  // namespace dbandit::sim
