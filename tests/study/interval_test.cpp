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

TEST(Interval, ErrorsOfADifferenceAddInSquaresThoseOfARatioAsTheyAre) {
  const Interval apart = difference(centred(10, 3), centred(4, 4));
  EXPECT_DOUBLE_EQ(apart.value, 6);
  EXPECT_DOUBLE_EQ(apart.high - apart.value, 5);
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
  EXPECT_GT(share.high - share.value, (lost.high - lost.value) / at(small_result(), "d-ucb", "regret", 60).value);
}

// 40 ± 2 against 50 ± 5, the difference −10 ± 1: a share of −0.2, and the error of the denominator counts by its size.
TEST(Interval, ARelativeLagIsAsWideAheadAsItIsBehind) {
  const auto moments = [](double mean, double half) {
    stats::Moments unit{.count = 100, .mean = mean, .variance = 1};
    const double error = half / stats::half_width_95(unit);
    return stats::Moments{.count = 100, .mean = mean, .variance = error * error};
  };
  for (const double sign : {1.0, -1.0}) {
    sim::Settings settings = *small_result().spec;
    settings.at = {60};
    settings.policies = {"guest:a", "guest:b"};
    sim::Result result{.spec = settings};
    result.stats.policies.resize(2);
    result.stats.policies[0].regret = {moments(50 + sign * 10, 2)};
    result.stats.policies[1].regret = {moments(50, 5)};
    result.stats.paired = {moments(sign * 10, 1)};
    const Interval share = relative_lag(result, "a", "b");
    EXPECT_NEAR(share.value, sign * 0.2, 1e-12);
    EXPECT_NEAR(share.high - share.value, (1 + 0.2 * 5) / 50, 1e-12) << sign;
    EXPECT_NEAR(share.value - share.low, (1 + 0.2 * 5) / 50, 1e-12) << sign;
  }
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
