#include "dbandit/stats/quantiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rng/draws.hpp"

namespace dbandit::stats {
namespace {

/// Over twelve powers of ten.
std::vector<double> sample(std::size_t size, std::uint64_t row = 1) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::pow(10, 12 * rng::open_uniform(rng::delay_bits(23, i, row)) - 6);
  return values;
}

TEST(Quantiles, AreWithinATwentiethOfAPercentOfTheOrderStatistic) {
  for (const std::size_t size : {1u, 2u, 9u, 10u, 11u, 1000u, 12'345u}) {
    std::vector<double> values = sample(size);
    Quantiles quantiles;
    quantiles.add(values);
    std::sort(values.begin(), values.end());
    for (const double q : {0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(size)));
      const double exact = values[rank - 1];
      EXPECT_NEAR(quantiles.quantile(q), exact, 0.0005 * exact) << size << ' ' << q;
    }
  }
}

TEST(Quantiles, TakeTheLowerMedianAndTheEnds) {
  Quantiles quantiles;
  quantiles.add(std::vector<double>{1, 10, 100, 1000});
  EXPECT_NEAR(quantiles.quantile(0), 1, 0.0005);
  EXPECT_NEAR(quantiles.quantile(0.25), 1, 0.0005);
  EXPECT_NEAR(quantiles.quantile(0.26), 10, 0.005);
  EXPECT_NEAR(quantiles.quantile(0.5), 10, 0.005);
  EXPECT_NEAR(quantiles.quantile(0.75), 100, 0.05);
  EXPECT_NEAR(quantiles.quantile(1), 1000, 0.5);
}

TEST(Quantiles, OfNothingAreZero) { EXPECT_EQ(Quantiles().quantile(0.5), 0); }

TEST(Quantiles, CountRoundingNoiseBelowZeroAsZero) {
  Quantiles quantiles;
  quantiles.add(std::vector<double>{0.0, -0.0, -1e-17, -3e-12, std::numeric_limits<double>::denorm_min()});
  ASSERT_EQ(quantiles.bins().size(), 1u);
  EXPECT_EQ(quantiles.bins().at(0), 5u);
  EXPECT_EQ(quantiles.quantile(0.5), 0);
  quantiles.add(std::vector<double>{2.5});
  EXPECT_EQ(quantiles.quantile(0.5), 0);
  EXPECT_NEAR(quantiles.quantile(1), 2.5, 0.0005 * 2.5);
}

TEST(Quantiles, OfNegativeValuesAreAsNearAndInOrder) {
  Quantiles quantiles;
  quantiles.add(std::vector<double>{-300, 2, -40, -5, 0, 7000, -0.001});
  const std::vector<double> sorted{-300, -40, -5, -0.001, 0, 2, 7000};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_NEAR(quantiles.quantile((static_cast<double>(i) + 0.5) / 7), sorted[i], 0.0005 * std::abs(sorted[i]));
  }
  Quantiles again;
  for (const auto& [bin, count] : quantiles.bins()) again.add(bin, 20 * count);
  EXPECT_NEAR(again.quantile(0.01), -300, 0.15);
  EXPECT_NEAR(again.quantile(0.5), -0.001, 0.0000005);
}

TEST(Quantiles, SplitEveryOctaveInto1024Bins) {
  Quantiles octave;
  for (int i = 0; i < 4096; ++i) octave.add(std::vector<double>{1 + i / 4096.0});
  EXPECT_EQ(octave.bins().size(), 1024u);
  for (const auto& [bin, count] : octave.bins()) EXPECT_EQ(count, 4u);
}

TEST(Quantiles, MergeToTheSameBinsInAnyOrder) {
  const std::vector<double> first = sample(3000, 1), second = sample(2000, 2), third = sample(1000, 3);
  Quantiles a, b, c, all, forwards, backwards;
  a.add(first);
  b.add(second);
  c.add(third);
  for (const auto& part : {first, second, third}) all.add(part);
  for (const Quantiles* part : {&a, &b, &c}) forwards.merge(*part);
  for (const Quantiles* part : {&c, &b, &a}) backwards.merge(*part);
  EXPECT_EQ(forwards.bins(), all.bins());
  EXPECT_EQ(backwards.bins(), all.bins());
}

TEST(Quantiles, DoNotTellValuesThatWaitFromValuesThatAreCounted) {
  const std::vector<double> values = sample(20'000);
  Quantiles one_by_one, at_once, merged;
  for (const double value : values) one_by_one.add({&value, 1});
  at_once.add(values);
  for (std::size_t from = 0; from < values.size(); from += 100) {
    Quantiles part;
    part.add(std::span(values).subspan(from, 100));
    merged.merge(part);
  }
  EXPECT_EQ(one_by_one.bins(), at_once.bins());
  EXPECT_EQ(merged.bins(), at_once.bins());
  for (const double q : {0.1, 0.5, 0.9}) EXPECT_EQ(one_by_one.quantile(q), at_once.quantile(q));
}

TEST(Quantiles, AreEmptyOnceCleared) {
  Quantiles quantiles;
  quantiles.add(sample(10'000));
  quantiles.clear();
  EXPECT_TRUE(quantiles.bins().empty());
  quantiles.add(std::vector<double>{3});
  EXPECT_NEAR(quantiles.quantile(0.5), 3, 0.0015);
}

}  // namespace
}  // namespace dbandit::stats
