#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "sim/checkpoints.hpp"

/// Sums as bytes and back.
namespace dbandit::sim {
namespace {

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
  EXPECT_EQ(after.whole.policies[1].growth, before.whole.policies[1].growth);
  EXPECT_EQ(after.whole.paired_growth, before.whole.paired_growth);
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

}  // namespace
}  // namespace dbandit::sim
