#include "statistics/invariants.hpp"

#include <gtest/gtest.h>

#include <array>

#include "reference/learner.hpp"

namespace dbandit::testing {
namespace {

class EstimatorInvariants : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EstimatorInvariants, EachPolicy(), kPolicyName);

// 32 policies × 4 rounds × 3 arms × 2 identities at 5 standard errors, 768 × 5.7e-7: one false alarm in 2 300 seeds, and this one is fixed.
TEST_P(EstimatorInvariants, LeavesTheEstimatorItsMeanAndItsVariance) {
  const std::array<std::int64_t, 4> rounds{3, 8, 20, 40};
  const model::Experiment e = experiment(GetParam(), {{0.5, 0.3, 0.1}, model::Geometric{5}}, 8, 40, 21);
  for (const auto& [round, arm, mean, variance] : invariant_scores(e, rounds, 2000)) {
    EXPECT_LT(std::abs(mean), 5) << "round " << round << " arm " << arm;
    EXPECT_LT(std::abs(variance), 5) << "round " << round << " arm " << arm;
  }
}

/// One arm, pulled in every round: θ̂(t) of many replicas, S from the learner and Ñ from `exposure(learner)`.
template <class Exposure>
stats::Moments estimates(const model::Experiment& e, std::size_t replicas, std::int64_t delay_start, Exposure exposure) {
  std::vector<double> sample;
  const reference::Learner newcomer(e, model::Exposure::buffer);
  for (std::size_t replica = 0; replica < replicas; ++replica) {
    reference::Learner learner = newcomer;
    for (std::int64_t s = 1; s <= e.horizon; ++s) {
      const Draw d = draw(e, replica, s);
      learner.play(0, d.converts(e.problem.theta[0]), d.delay + delay_start);
    }
    const auto arm = learner.statistics()[0];
    sample.push_back(arm.conversions / exposure(arm.exposure));
  }
  return stats::moments(sample);
}

constexpr auto kAsDefined = [](double exposure) { return exposure; };

TEST(FixedSchedule, TwoHundredPullsEstimateWithoutBiasAndWithThePrintedSpread) {
  const model::Experiment e = experiment(*policy::find("d-ucb"), {{0.1}, model::Geometric{50}}, 100, 200, 22);
  const auto tau = reference::visibility(e.problem.delay, e.window, e.horizon);
  double exposure = 0, variance = 0;
  for (std::int64_t s = 1; s <= 200; ++s) {
    const double chance = tau[static_cast<std::size_t>(visible_age(e.window, 200, s))];
    exposure += chance;
    variance += 0.1 * chance * (1 - 0.1 * chance);
  }
  EXPECT_NEAR(exposure, 143.3690045, 5e-8);
  EXPECT_NEAR(std::sqrt(variance) / exposure, 0.0253495, 5e-8);

  const std::size_t replicas = 10'000;
  double learned = 0;
  const stats::Moments estimate = estimates(e, replicas, 0, [&](double x) { return learned = x; });
  EXPECT_NEAR(learned, exposure, 1e-11);
  EXPECT_LT(std::abs(z_score(estimate, 0.1)), 4.5);
  // The standard error of a standard deviation is sd/sqrt(2R) up to the excess kurtosis, which is below 0.05 here.
  EXPECT_LT(std::abs(std::sqrt(estimate.variance) / 0.0253495 - 1) * std::sqrt(2.0 * replicas), 4.5);
}

// One pull, θ = 0.8, μ = 1: E[θ̂] = 0.8 with τ_0 = 1/2 for data of the same round.
TEST(FixedSchedule, AClockOneRoundLateIsRejected) {
  const model::Experiment e = experiment(*policy::find("ud-ucb"), {{0.8}, model::Geometric{1}}, {}, 1, 23);
  EXPECT_LT(std::abs(z_score(estimates(e, 20'000, 0, kAsDefined), 0.8)), 4.5);
  const double late = model::cdf(e.problem.delay, 1);  // τ_{t−s} at t = 2 against the data of t − 1 = 1
  EXPECT_LT(z_score(estimates(e, 20'000, 0, [=](double) { return late; }), 0.8), -50);
}

TEST(FixedSchedule, ADelayThatStartsAtOneIsRejected) {
  for (const std::int64_t rounds : {2, 5}) {
    const model::Experiment e = experiment(*policy::find("ud-ucb"), {{0.8}, model::Geometric{1}}, {}, rounds, 24);
    EXPECT_LT(std::abs(z_score(estimates(e, 20'000, 0, kAsDefined), 0.8)), 4.5);
    EXPECT_LT(z_score(estimates(e, 20'000, 1, kAsDefined), 0.8), -50);
  }
}

}  // namespace
}  // namespace dbandit::testing
