#include <gtest/gtest.h>

#include <cmath>

#include "kernel/targets.hpp"
#include "statistics/monte_carlo.hpp"

/// The fast engine against exact expectations of small cases, on every target.
namespace dbandit::testing {
namespace {

constexpr std::size_t kReplicas = 100'000;

/// As `compare` of the reference, z-scores to be below kSigmas.
Agreement compare_on(const kernel::Target& target, const model::Experiment& e, double regret, double pulls) {
  const model::Paths p = simulate(target, e, {.first = 0, .count = kReplicas}, model::Exposure::recursion, model::Solver::direct, false);
  const auto z = [&](const AlignedVector<double>& rows, std::size_t index, double expected) {
    const stats::Moments sample = row(rows, p, index, kReplicas);
    return sample.variance < 1e-20 ? (sample.mean - expected) * 1e12 : z_score(sample, expected);
  };
  return {z(p.regret, 0, regret), z(p.realised_regret, 0, regret), z(p.pulls, 1, pulls)};
}

class KernelExactCases : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(MonteCarlo, KernelExactCases, EachTarget(), kTargetName);

TEST_P(KernelExactCases, AreTheMeansOfTheSimulation) {
  for (const ExactCase& exact : kExactCases) {
    expect_agreement(compare_on(GetParam(), exact.experiment(), exact.regret, exact.pulls), exact.name);
  }
}

// By hand: T = 3, θ = (0.5, 0.4), μ = 1. UCB plays the first arm iff (S_1, S_2) = (1, 0); clamped KL flips a coin.
TEST_P(KernelExactCases, WorkedByHandAreTheMeansOfTheSimulation) {
  model::Experiment e = kExactCases[0].experiment();
  e.problem.theta = {0.5, 0.4};
  expect_agreement(compare_on(GetParam(), e, 0.11, 1.7), "ucb");
  e.rule.index = model::IndexForm::klucb;
  expect_agreement(compare_on(GetParam(), e, 0.1, 1.5), "klucb");
}

// Uniform play at the paper's parameters: the mean gap times the visible pulls.
TEST_P(KernelExactCases, OfUniformPlayAreTheMeansOfTheSimulation) {
  const auto z = [&](const std::vector<double>& theta, model::Window window, std::int64_t horizon, double expected) {
    const model::Experiment e = experiment(*policy::find("uniform"), {theta, model::Geometric{500}}, window, horizon, 6);
    const std::size_t replicas = 512;
    const model::Paths p =
        simulate(GetParam(), e, {.first = 0, .count = replicas}, model::Exposure::recursion, model::Solver::direct, false);
    const stats::Moments sample = row(p.regret, p, 0, replicas);
    // The printed expectation is rounded to 5e-4.
    return std::max(0.0, std::abs(sample.mean - expected) - 5e-4) / sample.standard_error();
  };
  const std::vector<double> low{0.1, 0.05, 0.03}, high{0.5, 0.4, 0.3};
  EXPECT_LT(z(low, 1000, 1000, 22.712), kSigmas);
  EXPECT_LT(z(high, 1000, 1000, 56.780), kSigmas);
  EXPECT_LT(z(low, {}, 10'000, 380.000), kSigmas);
  EXPECT_LT(z(high, {}, 10'000, 950.000), kSigmas);
  EXPECT_LT(z(low, 1000, 10'000, 333.991), kSigmas);
  EXPECT_LT(z(high, 1000, 10'000, 834.979), kSigmas);
}

class KernelExpectations : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(MonteCarlo, KernelExpectations, EachPolicy(), kPolicyName);

// Permuted start and random ties included: both are enumerated.
TEST_P(KernelExpectations, ByEnumerationAreTheMeansOfTheSimulation) {
  if (policy::draws_privately(GetParam())) GTEST_SKIP() << "draws more than ties: no enumeration has its expectation";
  const model::Experiment e = experiment(GetParam(), {{0.25, 0.5}, model::Geometric{1}}, 2, 6, 5);
  const Expectation exact = enumerate(e);
  ASSERT_NEAR(exact.mass, 1, 1e-12);
  for (const kernel::Target& target : supported_targets()) {
    expect_agreement(compare_on(target, e, exact.regret, exact.pulls[1]), target.name);
  }
}

// The comparison can fail: the same case with another tie rule is rejected by many standard errors.
TEST_P(KernelExactCases, RejectAnotherTieRule) {
  model::Experiment lowest = kExactCases[5].experiment();
  lowest.rule.ties = model::Ties::lowest;
  EXPECT_GT(std::abs(compare_on(GetParam(), lowest, kExactCases[5].regret, kExactCases[5].pulls).regret), 50);
}

}  // namespace
}  // namespace dbandit::testing
