#include "fit/fit.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "samples.hpp"

namespace dbandit {
namespace {

fit::Fit fitted(const fit::Counts& counts, std::string_view family) {
  const fit::Likelihood likelihood(counts);
  auto found = fit::fit(likelihood, test::family(family), 1000);
  if (!found) throw std::runtime_error("nothing was fitted");
  fit::estimate(*found, likelihood);
  return *found;
}

/// Observed long enough that nothing is missing: the estimates of the textbooks, N clicks, S conversions, mean delay d.
TEST(Fit, WithNothingMissingItIsTheTextbooks) {
  auto clicks = test::sample(model::Geometric{8}, {0.3}, 4000, 1, 3);
  std::mt19937_64 random(4);
  double conversions = 0, sum = 0;
  for (auto& click : clicks) {
    click.rounds = 100'000;
    click.delay = random() % 3 == 0 ? static_cast<std::int64_t>(random() % 17) : -1;
    if (click.delay < 0) continue;
    ++conversions;
    sum += static_cast<double>(click.delay);
  }
  const fit::Fit fit = fitted(test::counted(clicks, 1), "geometric");
  const double rate = conversions / 4000, mean = sum / conversions;
  EXPECT_NEAR(fit.rates[0], rate, 1e-9);
  EXPECT_NEAR(fit.parameters[0] / mean, 1, 1e-5);
  EXPECT_NEAR(fit.rate_estimates[0].error / std::sqrt(rate * (1 - rate) / 4000), 1, 1e-3);
  EXPECT_NEAR(fit.parameter_estimates[0].error / std::sqrt(mean * (1 + mean) / conversions), 1, 1e-3);
  EXPECT_EQ(fit.parameter_estimates[0].method, fit::Method::information);
  const double error = std::sqrt((1 + mean) / mean / conversions);  // of ln mean
  EXPECT_NEAR(fit.parameter_estimates[0].high / (mean * std::exp(1.959964 * error)), 1, 1e-4);
  EXPECT_NEAR(fit.aic, 2 * 2 - 2 * fit.log_likelihood, 1e-9);
  EXPECT_NEAR(fit.bic, 2 * std::log(1000.0) - 2 * fit.log_likelihood, 1e-9);
}

/// The observed information of rate and mean together, by second differences of ln L and the inverse of the whole 2 × 2 matrix.
TEST(Fit, StandardErrorsAreThoseOfTheJointInformation) {
  const fit::Counts counts = test::counted(test::sample(model::Geometric{40}, {0.3}, 5000, 60, 21), 1);
  const fit::Fit fit = fitted(counts, "geometric");
  const fit::Likelihood likelihood(counts);
  const auto at = [&](double mean, double rate) {
    return likelihood.at(test::family("geometric"), std::vector<double>{mean}, std::vector<double>{rate});
  };
  const double m = fit.parameters[0], r = fit.rates[0], h = 1e-3 * m, g = 1e-3 * r;
  const double mm = -(at(m + h, r) + at(m - h, r) - 2 * at(m, r)) / (h * h), rr = -(at(m, r + g) + at(m, r - g) - 2 * at(m, r)) / (g * g);
  const double mr = -(at(m + h, r + g) - at(m + h, r - g) - at(m - h, r + g) + at(m - h, r - g)) / (4 * h * g);
  const double determinant = mm * rr - mr * mr;
  EXPECT_NEAR(fit.parameter_estimates[0].error / std::sqrt(rr / determinant), 1, 2e-3);
  EXPECT_NEAR(fit.rate_estimates[0].error / std::sqrt(mm / determinant), 1, 2e-3);
  EXPECT_GT(fit.rate_estimates[0].error, 1.5 * std::sqrt(1 / rr)) << "what is unknown of the delays is unknown of the rate";
}

TEST(Fit, EveryFamilyFindsItsOwnParametersAndIsTheBestOnItsOwnLog) {
  struct World {
    std::string family;
    std::vector<double> parameters, tolerance;
  };
  const std::vector<World> worlds = {{"geometric", {30}, {1.5}},
                                     {"uniform", {59}, {0}},
                                     {"constant", {7}, {0}},
                                     {"negbin", {4, 25}, {0, 1}},
                                     {"weibull", {0.6, 30}, {0.03, 2}},
                                     {"lognormal", {2.5, 1}, {0.05, 0.05}},
                                     {"pareto", {1.2, 10}, {0.15, 2}},
                                     {"mixture of 2", {3, 60, 0.4}, {0.4, 4, 0.03}},
                                     {"mixture of 3", {1, 15, 200, 0.35, 0.5}, {0.3, 4, 25, 0.06, 0.1}}};
  std::vector<const fit::Family*> families;
  for (const fit::Family& family : fit::families()) families.push_back(&family);
  for (const World& world : worlds) {
    const fit::Family& family = test::family(world.family);
    const auto counts = test::counted(test::sample(family.make(world.parameters), {0.5, 0.3}, 60'000, 800, 31), 2);
    const auto fits = fit::fit_all(counts, families);
    ASSERT_FALSE(fits.empty());
    EXPECT_EQ(fits.front().family->name, world.family);
    EXPECT_TRUE(std::ranges::is_sorted(fits, {}, &fit::Fit::bic));
    const auto own = std::ranges::find(fits, world.family, [](const fit::Fit& fit) { return fit.family->name; });
    ASSERT_NE(own, fits.end()) << world.family;
    for (std::size_t i = 0; i < world.parameters.size(); ++i) {
      EXPECT_NEAR(own->parameters[i], world.parameters[i], world.tolerance[i]) << world.family << ", " << family.parameters[i].name;
    }
    EXPECT_NEAR(own->rates[0], 0.5, 0.03) << world.family;
    EXPECT_NEAR(own->rates[1], 0.3, 0.03) << world.family;
  }
}

/// A search that ends early would show as a law that fits worse than one of its own special cases.
TEST(Fit, ALawFitsNoWorseThanItsSpecialCases) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const auto counts = test::counted(test::sample(model::Geometric{25}, {0.2, 0.1}, 4000, 90, seed), 2);
    const double geometric = fitted(counts, "geometric").log_likelihood;
    for (const auto* general : {"negbin", "weibull", "mixture of 2", "mixture of 3"}) {
      EXPECT_GT(fitted(counts, general).log_likelihood, geometric - 1e-3) << general << ", seed " << seed;
    }
  }
}

/// 0 of N: the profile of ln L is N ln(1 − θ), which has fallen by 1.92 at 1 − e^{−1.92/N}.
TEST(Fit, NearABoundaryIntervalsAreThoseOfTheProfile) {
  std::vector<test::Observation> clicks(400, {0, 1000, 3});
  for (std::size_t i = 0; i < clicks.size(); ++i) clicks[i].delay = i % 2 == 0 ? static_cast<std::int64_t>(i % 14) : -1;
  clicks.resize(600, {1, 1'000'000, -1});
  const fit::Fit fit = fitted(test::counted(clicks, 2), "geometric");
  const fit::Estimate& none = fit.rate_estimates[1];
  EXPECT_EQ(none.method, fit::Method::profile);
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high / -std::expm1(-3.841458820694124 / 2 / 200), 1, 1e-3);
  EXPECT_EQ(fit.rate_estimates[0].method, fit::Method::information);
}

TEST(Fit, OfManyArmsHasTheSameIntervals) {
  std::vector<test::Observation> clicks = test::sample(model::Geometric{5}, std::vector<double>(30, 0.01), 30'000, 100, 9);
  for (auto& click : clicks) click.rounds = 100'000;
  clicks.resize(30'200, {30, 1'000'000, -1});
  const fit::Counts counts = test::counted(clicks, 31);
  const fit::Fit fit = fitted(counts, "geometric");
  EXPECT_NEAR(fit.rate_estimates[30].high / -std::expm1(-3.841458820694124 / 2 / 200), 1, 1e-3);
  const auto few = std::ranges::find(fit.rate_estimates, fit::Method::profile, &fit::Estimate::method);
  ASSERT_NE(few, fit.rate_estimates.end());
  const auto arm = static_cast<std::size_t>(few - fit.rate_estimates.begin());
  const fit::Fit two =
      fitted({counts[arm], counts[arm == 0 ? 1 : 0]}, "geometric");  // nothing is missing: arms do not depend on each other
  EXPECT_NEAR(few->low / two.rate_estimates[0].low, 1, 1e-3);
  EXPECT_NEAR(few->high / two.rate_estimates[0].high, 1, 1e-3);
}

/// Observed for too short a time to tell many slow conversions from few quick ones: the interval of the rate reaches to 1.
TEST(Fit, WhatTheLogDoesNotDetermineHasAWideInterval) {
  const fit::Fit fit = fitted(test::counted(test::sample(model::Geometric{1000}, {0.5}, 3000, 30, 5), 1), "geometric");
  EXPECT_EQ(fit.rate_estimates[0].method, fit::Method::profile);
  EXPECT_EQ(fit.rate_estimates[0].high, 1);
  EXPECT_LT(fit.rate_estimates[0].low, 0.3);
  EXPECT_LT(fit.parameter_estimates[0].low, 1000);
  EXPECT_GT(fit.parameter_estimates[0].high, 1000);
}

TEST(Fit, AConstantIsImpossibleWhereDelaysDiffer) {
  EXPECT_FALSE(fit::fit(fit::Likelihood(test::counted({{0, 9, 2}, {0, 9, 3}}, 1)), test::family("constant"), 2));
  EXPECT_TRUE(fit::fit(fit::Likelihood(test::counted({{0, 9, 2}, {0, 9, 2}}, 1)), test::family("constant"), 2));
}

TEST(Fit, ThreadsChangeNoDigit) {
  const auto counts = test::counted(test::sample(model::parse_delay_law("weibull:0.6,30"), {0.5, 0.3}, 5000, 200, 8), 2);
  std::vector<const fit::Family*> families;
  for (const fit::Family& family : fit::families()) families.push_back(&family);
  std::vector<std::vector<fit::Fit>> runs;
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    runs.push_back(fit::fit_all(counts, families));
  }
  ASSERT_EQ(runs[0].size(), runs[1].size());
  for (std::size_t i = 0; i < runs[0].size(); ++i) {
    EXPECT_EQ(runs[0][i].parameters, runs[1][i].parameters);
    EXPECT_EQ(runs[0][i].rates, runs[1][i].rates);
    EXPECT_EQ(runs[0][i].log_likelihood, runs[1][i].log_likelihood);
  }
}

TEST(OneLaw, IsRejectedWhereArmsDifferAndNotWhereTheyDoNot) {
  auto clicks = test::sample(model::Geometric{20}, {0.3, 0.2}, 6000, 100, 41);
  const auto same = fit::test_one_law(test::counted(clicks, 2), test::family("geometric"));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->degrees, 1);
  EXPECT_GT(same->p, 0.01);
  for (auto& click : test::sample(model::Geometric{40}, {0.3}, 3000, 100, 42)) clicks.push_back({2, click.rounds, click.delay});
  const fit::Counts counts = test::counted(clicks, 3);
  const auto different = fit::test_one_law(counts, test::family("geometric"));
  ASSERT_TRUE(different);
  EXPECT_EQ(different->degrees, 2);
  EXPECT_LT(different->p, 1e-6);
  double apart = 0;
  for (const fit::ArmCounts& arm : counts) apart += fitted({arm}, "geometric").log_likelihood;
  EXPECT_NEAR(different->statistic, 2 * (apart - fitted(counts, "geometric").log_likelihood), 1e-4);
}

/// Where one law is true, p is uniform: of 200 logs 5 % are below 0.05, give or take four standard errors of 1.5 %.
TEST(OneLaw, RejectsATrueOneAsOftenAsItSays) {
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto test = fit::test_one_law(test::counted(test::sample(model::Geometric{20}, {0.3, 0.2}, 1500, 60, 1000 + seed), 2),
                                        test::family("geometric"));
    ASSERT_TRUE(test);
    rejected += test->p < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(rejected / 200.0, 0.05, 4 * 0.0154);
}

TEST(OneLaw, NeedsTwoArmsWithConversions) {
  EXPECT_FALSE(fit::test_one_law(test::counted(test::sample(model::Geometric{20}, {0.3}, 2000, 100, 43), 1), test::family("geometric")));
  EXPECT_FALSE(
      fit::test_one_law(test::counted(test::sample(model::Geometric{20}, {0.3, 0.0}, 2000, 100, 44), 2), test::family("geometric")));
}

TEST(Shares, AreWhatTheDefinitionCounts) {
  const auto clicks = test::sample(model::Geometric{20}, {0.5, 0.2}, 2000, 50, 51);
  const fit::Counts counts = test::counted(clicks, 2);
  const fit::Fit fit = fitted(counts, "geometric");
  const auto points = fit::shares(counts, fit);
  const model::DelayLaw law = fit.law();
  for (const fit::SharePoint& point : points) {
    double expected = 0, all = 0, seen = 0, seen_all = 0;
    for (const auto& [arm, rounds, delay] : clicks) {
      expected += fit.rates[arm] * model::cdf(law, std::min(point.delay, rounds - 1));
      all += fit.rates[arm] * model::cdf(law, rounds - 1);
      seen += delay >= 0 && delay <= point.delay ? 1 : 0;
      seen_all += delay >= 0 ? 1 : 0;
    }
    EXPECT_NEAR(point.expected, expected / all, 1e-10);
    EXPECT_NEAR(point.observed, seen / seen_all, 1e-12);
  }
  EXPECT_NEAR(points.back().observed, 1, 1e-12);
  EXPECT_LT(fit::largest_gap(points), fit::band_95(static_cast<double>(counts[0].conversions() + counts[1].conversions())));
  EXPECT_NEAR(fit::band_95(1000), 0.04294694, 1e-7);
}

}  // namespace
}  // namespace dbandit
