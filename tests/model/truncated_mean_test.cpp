#include "model/truncated_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dbandit::model {
namespace {

TEST(TruncatedMean, TheFormulaIsTheSumOverTheDelaysThatCanBeSeen) {
  for (const double mu : {0.01, 0.5, 3.0, 40.0, 500.0}) {
    for (const double t : {1.0, 2.0, 7.0, 100.0, 1500.0}) {
      if (mu > t) continue;  // beyond what the estimate can be
      double weights = 0, sum = 0;
      for (double d = 0; d < t; ++d) {
        const double weight = (t - d) * std::pow(mu / (1 + mu), d);
        weights += weight;
        sum += d * weight;
      }
      EXPECT_NEAR(mean_of_observed_delays(mu, t), sum / weights, 1e-9 * (1 + sum / weights)) << mu << " " << t;
    }
  }
}

TEST(TruncatedMean, GivesBackTheMeanWhoseObservationsHaveThatMean) {
  for (const double t : {10.0, 1000.0, 1e6}) {
    for (const double share : {1e-4, 0.01, 0.3, 0.9}) {
      const double mu = share * t;
      EXPECT_NEAR(truncated_mean(8, 8 * mean_of_observed_delays(mu, t), t), mu, 1e-6 * mu) << mu << " " << t;
    }
  }
}

TEST(TruncatedMean, IsBeyondTheMeanOfWhatIsObservedAndNeverBeyondTheRound) {
  EXPECT_EQ(truncated_mean(3, 0, 100), 0);
  EXPECT_EQ(truncated_mean(1, 0, 1), 0);
  EXPECT_EQ(truncated_mean(2, 2 * 99, 100), 100);
  for (const double observed : {0.5, 5.0, 20.0, 25.0}) {
    EXPECT_GT(truncated_mean(1, observed, 100), observed);
    EXPECT_LT(truncated_mean(1, observed, 100), 100);
  }
  EXPECT_NEAR(truncated_mean(1, 50, 1e9), 50, 1e-4) << "with time truncation goes away";
}

}  // namespace
}  // namespace dbandit::model
