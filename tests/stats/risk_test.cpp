#include "stats/risk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace dbandit::stats {
namespace {

Quantiles histogram(const std::vector<double>& values) {
  Quantiles sample;
  sample.add(values);
  return sample;
}

std::vector<double> one_to(int n) {
  std::vector<double> values;
  for (int i = 1; i <= n; ++i) values.push_back(i);
  return values;
}

// Of 1 … 1000: order statistics 950 and 990, the mean of the 50 largest; P(B < 936) ≤ 2.5 % < P(B < 937) for Binomial(1000, 0.95).
TEST(Risk, OfNumbersInOrderIsTheirOrderStatistics) {
  const Risk of = risk(histogram(one_to(1000)), 900.5, 0.05);
  const auto within_a_bin = [](double value, double expected) { EXPECT_NEAR(value, expected, 0.0005 * expected); };
  within_a_bin(of.p95.value, 950);
  within_a_bin(of.p95.low, 936);
  within_a_bin(of.p95.high, 964);
  within_a_bin(of.p99.value, 990);
  within_a_bin(of.shortfall.value, 975.5);
  EXPECT_LT(of.shortfall.low, of.shortfall.value);
  EXPECT_NEAR(of.above.value, 0.1, 0.001);
  EXPECT_NEAR(of.above.low, 0.0821, 0.001);  // Clopper and Pearson for 100 of 1000
  EXPECT_NEAR(of.above.high, 0.1203, 0.001);
  EXPECT_EQ(of.count, 1000u);
}

TEST(Risk, OfTooFewReplicasHasNoUpperEnd) {
  EXPECT_EQ(replicas_for_quantile(0.99, 0.05), 368u);
  EXPECT_EQ(replicas_for_quantile(0.95, 0.05), 72u);
  EXPECT_TRUE(std::isinf(risk(histogram(one_to(367)), 1, 0.05).p99.high));
  EXPECT_FALSE(std::isinf(risk(histogram(one_to(368)), 1, 0.05).p99.high));
  EXPECT_TRUE(std::isinf(risk(histogram(one_to(71)), 1, 0.05).p95.high));
}

TEST(Risk, OfNothingOrOfOneReplicaIsNoNumberOutOfThinAir) {
  EXPECT_EQ(risk({}, 1, 0.05).count, 0u);
  const Risk of = risk(histogram({3}), 1, 0.05);
  EXPECT_NEAR(of.p99.value, 3, 0.002);
  EXPECT_TRUE(std::isinf(of.shortfall.high));
  EXPECT_EQ(of.above.value, 1);
  EXPECT_EQ(of.above.high, 1);
}

// A law with a heavy tail, 2000 samples of 500: the chance of a miss is 5 % at most, so more than 132 (4.5 standard errors) would be news.
// The large-sample interval of the shortfall may miss more often: 15 %.
TEST(Risk, IntervalsCoverWhateverTheLaw) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> law(0, 1);
  const double p95 = std::exp(1.6448536269514722), p99 = std::exp(2.3263478740408408);
  const double shortfall = std::exp(0.5) * 0.5 * std::erfc((1.6448536269514722 - 1) / std::sqrt(2.0)) / 0.05;
  int missed_95 = 0, missed_99 = 0, missed_shortfall = 0, missed_chance = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> values(500);
    for (double& value : values) value = law(random);
    const Risk of = risk(histogram(values), p95, 0.05);
    missed_95 += of.p95.low > p95 || of.p95.high < p95;
    missed_99 += of.p99.low > p99 || of.p99.high < p99;
    missed_shortfall += of.shortfall.low > shortfall || of.shortfall.high < shortfall;
    missed_chance += of.above.low > 0.05 || of.above.high < 0.05;
  }
  EXPECT_LE(missed_95, 145);
  EXPECT_LE(missed_99, 145);
  EXPECT_LE(missed_chance, 145);
  EXPECT_GT(missed_95, 20) << "intervals that are too wide say nothing";
  EXPECT_LE(missed_shortfall, 300);
}

}  // namespace
}  // namespace dbandit::stats
