#include "study/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dbandit/model/delay_law.hpp"

namespace dbandit::study {
namespace {

TEST(Welch, IntervalHasTheDegreesOfFreedomOfSatterthwaite) {
  const stats::Moments a{.count = 10, .mean = 20, .variance = 9}, b{.count = 5, .mean = 15, .variance = 1};
  // Variance of the difference 0.9 + 0.2 = 1.1; freedom 1.21 / (0.81/9 + 0.04/4) = 12.1; t(0.975, 12.1) = 2.1765.
  const Interval found = welch(a, b);
  EXPECT_DOUBLE_EQ(found.value, -5);
  EXPECT_NEAR((found.high - found.low) / 2, 2.1765 * std::sqrt(1.1), 2e-3);
}

TEST(Compared, ResultsCanBePairedInTheSameWorldsUpToTheSameHorizon) {
  sim::Settings settings;
  settings.theta = {0.5, 0.3};
  settings.delay = model::Geometric{5};
  settings.horizon = 100;
  settings.policies = {"uniform"};
  const auto stored = [](const sim::Settings& of) {
    return report::StoredResult{.folder = {}, .spec = of, .policies = {}, .manifest = {}};
  };
  sim::Settings censored = settings, longer = settings, slower = settings;
  censored.censor = 10;
  longer.horizon = 101;
  slower.delay = model::Geometric{6};
  EXPECT_TRUE(compare(stored(settings), stored(censored)).pairable);
  EXPECT_FALSE(compare(stored(settings), stored(longer)).pairable);
  EXPECT_FALSE(compare(stored(settings), stored(slower)).pairable);
}

TEST(Regression, IsBeyondTheIntervalAndTheThreshold) {
  const PolicyChange change{"p", {.count = 100, .mean = 50, .variance = 0}, {.count = 100, .mean = 53, .variance = 0}, {3, 2, 4}};
  EXPECT_TRUE(change.regressed(0));
  EXPECT_TRUE(change.regressed(0.039));
  EXPECT_FALSE(change.regressed(0.041)) << "4.1 % of 50 is more than the lower end of the interval";
}

}  // namespace
}  // namespace dbandit::study
