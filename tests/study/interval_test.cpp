#include "study/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dbandit/sim/run.hpp"
#include "sim/small_problem.hpp"
#include "study/claims.hpp"

namespace dbandit::study {
namespace {

using enum Verdict;

/// Two policies on a small problem.
const sim::Result& small_result() {
  static const sim::Result result = sim::run(sim::small_problem(60, {"d-ucb", "uniform"}, 256, {30, 60}), {});
  return result;
}

TEST(Interval, WilsonsIsTheTextbooks) {
  // 10 of 100: (0.1 + z²/200 ± z sqrt(0.1·0.9/100 + z²/40000)) / (1 + z²/100), z = 1.959964.
  const Interval share = proportion(10, 100);
  EXPECT_DOUBLE_EQ(share.value, 0.1);
  EXPECT_NEAR(share.low, 0.0552291, 1e-6);
  EXPECT_NEAR(share.high, 0.1743657, 1e-6);
  EXPECT_NEAR(proportion(0, 50).low, 0, 1e-15);
  EXPECT_GT(proportion(0, 50).high, 0.05);
}

TEST(Interval, ScalingByANegativeNumberTurnsItOver) {
  const Interval turned = scaled({1, 0.5, 2}, -2);
  EXPECT_EQ(turned.value, -2);
  EXPECT_EQ(turned.low, -4);
  EXPECT_EQ(turned.high, -1);
}

TEST(Interval, ErrorsOfUnpairedNumbersAddAsTheyAre) {
  const Interval apart = difference(centred(10, 3), centred(4, 4));
  EXPECT_DOUBLE_EQ(apart.value, 6);
  EXPECT_DOUBLE_EQ(apart.high - apart.value, 7);
  const Interval over = ratio(centred(10, 1), centred(5, 1));
  EXPECT_DOUBLE_EQ(over.value, 2);
  EXPECT_NEAR(over.high - over.value, 2 * (0.1 + 0.2), 1e-15);
}

TEST(Interval, ShowsTheDigitsThatItBears) {
  EXPECT_EQ(text(centred(39.4953, 0.0712)), "39.495 [39.424, 39.566]");
  EXPECT_EQ(text(centred(1234.5, 20), " %"), "1234 % [1214, 1254]");
  EXPECT_EQ(text(exactly(0.86466480)), "0.86466");
}

TEST(Interval, TheLagOfTwoPoliciesIsTheSameEitherWayButForItsSign) {
  const Interval lost = lag(small_result(), "uniform", "d-ucb"), won = lag(small_result(), "d-ucb", "uniform");
  EXPECT_GT(lost.low, 0);
  EXPECT_DOUBLE_EQ(lost.value, -won.value);
  EXPECT_DOUBLE_EQ(lost.value, at(small_result(), "uniform", "regret", 60).value - at(small_result(), "d-ucb", "regret", 60).value);
  const Interval share = relative_lag(small_result(), "uniform", "d-ucb");
  EXPECT_DOUBLE_EQ(share.value, lost.value / at(small_result(), "d-ucb", "regret", 60).value);
}

/// What is known of these values, as a run would know it.
stats::Moments moments_of(const std::vector<double>& a, const std::vector<double>& b = {}) {
  std::vector<double> values = a;
  for (std::size_t i = 0; i < b.size(); ++i) values[i] -= b[i];
  return stats::moments(values);
}

// The variance of A/B is that of the residuals a − (A/B) b over B²: the correlation of the two is in it.
TEST(Interval, ARatioIsAsWideAsItsPairedReplicasSay) {
  const std::vector<double> a{61, 42, 55, 70, 38, 51}, b{50, 40, 45, 61, 33, 47}, c{30, 52, 44, 39, 61, 41};
  sim::Settings settings = *small_result().spec;
  settings.policies = {"guest:a", "guest:b", "guest:c"};
  sim::Result result{.spec = settings};
  result.stats.policies.resize(3);
  const std::vector<std::vector<double>> all{a, b, c};
  for (std::size_t p = 0; p < 3; ++p) {
    result.stats.policies[p].regret = {moments_of(all[p]), moments_of(all[p])};
    result.stats.policies[p].growth = {moments_of(all[p])};
  }
  result.stats.paired = {moments_of(a, b), moments_of(a, c), moments_of(b, c)};
  for (const stats::Moments& pair : result.stats.paired) result.stats.paired_at.insert(result.stats.paired_at.end(), {pair, pair});
  result.stats.paired_growth = result.stats.paired;
  const auto expect = [&](const char* above, const char* below, const std::vector<double>& x, const std::vector<double>& y) {
    const double over = moments_of(x).mean / moments_of(y).mean;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < x.size(); ++i) residuals.push_back(x[i] - over * y[i]);
    const double half = stats::half_width_95(stats::moments(residuals)) / moments_of(y).mean;
    for (const Interval& found :
         {paired_ratio(result, above, below, 30), paired_ratio(result, above, below, 60), growth_ratio(result, above, below, 30, 60)}) {
      EXPECT_NEAR(found.value, over, 1e-12);
      EXPECT_NEAR(found.high - found.value, half, 1e-12);
    }
    EXPECT_NEAR(relative_lag(result, above, below).value, over - 1, 1e-12);
    EXPECT_NEAR(lag_at(result, above, below, 30).value, moments_of(x).mean - moments_of(y).mean, 1e-12);
  };
  expect("a", "b", a, b);
  expect("b", "a", b, a);
  expect("c", "a", c, a);
}

TEST(Interval, ARatioOfUnpairedNumbersIsAsWideOnEitherSideOfZero) {
  for (const double sign : {1.0, -1.0}) {
    const Interval over = ratio(centred(sign * 10, 1), centred(-5, 1));
    EXPECT_DOUBLE_EQ(over.value, -2 * sign);
    EXPECT_NEAR(over.high - over.value, 2 * (0.1 + 0.2), 1e-15) << sign;
  }
}

TEST(Interval, GrowthIsPerNaturalLogarithmOfTheRound) {
  const double from = at(small_result(), "uniform", "regret", 30).value, to = at(small_result(), "uniform", "regret", 60).value;
  EXPECT_NEAR(growth(small_result(), "uniform", 30, 60).value, (to - from) / std::log(2.0), 1e-12);
}

TEST(Verdicts, AreOnlyGivenWhenTheWholeIntervalIsOnOneSide) {
  EXPECT_EQ(above({2, 1.5, 2.5}, 1), holds);
  EXPECT_EQ(above({2, 1.5, 2.5}, 2), undecided);
  EXPECT_EQ(above({2, 1.5, 2.5}, 3), fails);
  EXPECT_EQ(below({2, 1.5, 2.5}, 1), fails);
  EXPECT_EQ(below({2, 1.5, 2.5}, 2), undecided);
  EXPECT_EQ(below({2, 1.5, 2.5}, 3), holds);
}

TEST(Verdicts, NothingMeansWithinTwiceTheHalfWidth) {
  EXPECT_EQ(nothing(centred(0.19, 0.1)), holds);
  EXPECT_EQ(nothing(centred(-0.19, 0.1)), holds);
  EXPECT_EQ(nothing(centred(0.21, 0.1)), fails);
  EXPECT_EQ(nothing(centred(-0.21, 0.1)), fails);
}

TEST(Verdicts, OfSeveralConditionsTheWorstCounts) {
  using Verdicts = std::vector<Verdict>;
  EXPECT_EQ(all_of(Verdicts{holds, holds}), holds);
  EXPECT_EQ(all_of(Verdicts{holds, undecided}), undecided);
  EXPECT_EQ(all_of(Verdicts{undecided, fails, holds}), fails);
}

TEST(Verdicts, WhatHoldsInOnePlaceOnlySaysWhere) {
  EXPECT_EQ(verdict_text(only_for("low rates", holds, fails, {})), "holds only for low rates");
  EXPECT_EQ(only_for("low rates", holds, holds, {}).verdict, holds);
  EXPECT_EQ(only_for("low rates", fails, fails, {}).verdict, fails);
  EXPECT_EQ(only_for("low rates", holds, undecided, {}).verdict, undecided);
}

}  // namespace
}  // namespace dbandit::study
