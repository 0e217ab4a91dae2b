#include "statistics/monte_carlo.hpp"

#include <gtest/gtest.h>

#include <array>

namespace dbandit::testing {
namespace {

constexpr std::size_t kReplicas = 100'000;

class PrintedExpectation : public ::testing::TestWithParam<ExactCase> {};
INSTANTIATE_TEST_SUITE_P(MonteCarlo, PrintedExpectation, ::testing::ValuesIn(kExactCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(PrintedExpectation, IsTheMeanOfTheSimulation) {
  expect_agreement(compare(GetParam().experiment(), kReplicas, GetParam().regret, GetParam().pulls));
}

class ExactExpectation : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(MonteCarlo, ExactExpectation, EachPolicy(), kPolicyName);

// Permuted start and random ties included: both are enumerated.
TEST_P(ExactExpectation, SimulatesToItsExactExpectation) {
  if (policy::draws_privately(GetParam())) GTEST_SKIP() << "draws more than ties: no enumeration has its expectation";
  const model::Experiment e = experiment(GetParam(), {{0.25, 0.5}, model::Geometric{1}}, 2, 6, 3);
  const Expectation exact = enumerate(e);
  ASSERT_NEAR(exact.mass, 1, 1e-12);
  expect_agreement(compare(e, kReplicas / 2, exact.regret, exact.pulls[1]));
}

// The checks above can fail: simulate each of these mistakes and the same comparison rejects it by many standard errors.
TEST(WrongTies, LowestIndexIsRejected) {
  const ExactCase& printed = kExactCases[5];
  model::Experiment lowest = printed.experiment();
  lowest.rule.ties = model::Ties::lowest;
  EXPECT_GT(std::abs(compare(lowest, kReplicas, printed.regret, printed.pulls).regret), 50);
}

TEST(WrongStart, AFixedOrderIsRejected) {
  const model::Experiment permuted = experiment(*policy::find("d-ucb"), {{0.25, 0.5}, model::Geometric{1}}, 2, 6, 3);
  const Expectation exact = enumerate(permuted);
  model::Experiment fixed = permuted;
  fixed.rule.start = model::StartOrder::fixed;
  EXPECT_GT(std::abs(compare(fixed, kReplicas, exact.regret, exact.pulls[1]).regret), 20);
}

TEST(StartOrder, IsEveryPermutationAlike) {
  model::Experiment e = experiment(*policy::find("uniform"), {{0.5, 0.4, 0.3}, model::Geometric{1}}, 2, 3, 17);
  const std::size_t replicas = 60'000;
  const auto largest_z = [&] {
    const model::Paths p = paths(e, replicas);
    std::array<double, 27> seen{};
    for (std::size_t lane = 0; lane < replicas; ++lane)
      seen[p.actions[lane] * 9u + p.actions[p.lanes + lane] * 3u + p.actions[2 * p.lanes + lane]] += 1;
    double largest = 0;
    for (const std::size_t order :
         {0 * 9 + 1 * 3 + 2, 0 * 9 + 2 * 3 + 1, 1 * 9 + 0 * 3 + 2, 1 * 9 + 2 * 3 + 0, 2 * 9 + 0 * 3 + 1, 2 * 9 + 1 * 3 + 0}) {
      const double expected = static_cast<double>(replicas) / 6;
      largest = std::max(largest, std::abs(seen[order] - expected) / std::sqrt(expected * 5 / 6));
    }
    return largest;
  };
  EXPECT_LT(largest_z(), kSigmas);
  e.rule.start = model::StartOrder::fixed;
  EXPECT_GT(largest_z(), 100);
}

TEST(Ties, GoToEveryArmAlikeInEveryRound) {
  model::Experiment e = experiment(*policy::find("uniform"), {{0.5, 0.4, 0.3}, model::Geometric{1}}, 2, 12, 18);
  const std::size_t replicas = 60'000;
  const auto largest_z = [&] {
    const model::Paths p = paths(e, replicas);
    double largest = 0;
    for (std::size_t t = 3; t < 12; ++t) {
      std::array<double, 3> seen{};
      for (std::size_t lane = 0; lane < replicas; ++lane) seen[p.actions[t * p.lanes + lane]] += 1;
      const double expected = static_cast<double>(replicas) / 3;
      for (const double count : seen) largest = std::max(largest, std::abs(count - expected) / std::sqrt(expected * 2 / 3));
    }
    return largest;
  };
  EXPECT_LT(largest_z(), kSigmas);
  e.rule.ties = model::Ties::lowest;
  EXPECT_GT(largest_z(), 100);
}

// The best arm listed first and ties to the lowest index: the oracle in disguise. Regret at t = 100 is that of the start alone.
TEST(Ties, ToTheLowestIndexWouldPlayTheOracleWhileNothingIsVisible) {
  model::Experiment e = experiment(*policy::find("d-klucb"), {{0.1, 0.05, 0.03}, model::Geometric{500}}, 1000, 100, 19);
  const std::size_t replicas = 2'000;
  const auto regret = [&] {
    const model::Paths p = paths(e, replicas);
    return row(p.regret, p, 0, replicas);
  };
  double uniform = 0;  // mean gap (0.05 + 0.07)/3 times Σ_{d<100} τ_d
  for (std::int64_t d = 0; d < 100; ++d) uniform += 0.04 * model::cdf(e.problem.delay, d);
  const stats::Moments random = regret();
  EXPECT_NEAR(random.mean, 0.38, 0.005);
  EXPECT_LT(std::abs(z_score(random, uniform)), kSigmas);
  e.rule.ties = model::Ties::lowest;
  const stats::Moments lowest = regret();
  EXPECT_LT(lowest.mean, 0.06);
  EXPECT_LT((lowest.mean - random.mean) / random.standard_error(), -100);
}

struct UniformPlay {
  std::string_view name;
  std::vector<double> theta;
  model::Window window;
  std::int64_t horizon;
  double regret;
  friend void PrintTo(const UniformPlay& play, std::ostream* out) { *out << play.name; }
};

class Uniform : public ::testing::TestWithParam<UniformPlay> {};

TEST_P(Uniform, CostsTheMeanGapTimesTheVisiblePulls) {
  const auto& [name, theta, window, horizon, regret] = GetParam();
  model::Experiment e = experiment(*policy::find("uniform"), {theta, model::Geometric{500}}, window, horizon, 20);
  double exact = 0;
  const double mean_gap = theta[0] - (theta[0] + theta[1] + theta[2]) / 3;
  for (std::int64_t s = 1; s <= horizon; ++s) exact += mean_gap * model::cdf(e.problem.delay, visible_age(window, horizon, s));
  EXPECT_NEAR(exact, regret, 5e-4);
  const auto replicas = static_cast<std::size_t>(400'000 / horizon);
  const model::Paths p = paths(e, replicas);
  EXPECT_LT(std::abs(z_score(row(p.regret, p, 0, replicas), exact)), kSigmas);
}

const std::vector<double> kLow{0.1, 0.05, 0.03}, kHigh{0.5, 0.4, 0.3};
INSTANTIATE_TEST_SUITE_P(
    Paper, Uniform,
    ::testing::Values(UniformPlay{"low_1000", kLow, 1000, 1000, 22.712}, UniformPlay{"high_1000", kHigh, 1000, 1000, 56.780},
                      UniformPlay{"low_uncensored", kLow, {}, 10000, 380.000}, UniformPlay{"high_uncensored", kHigh, {}, 10000, 950.000},
                      UniformPlay{"low_censored", kLow, 1000, 10000, 333.991}, UniformPlay{"high_censored", kHigh, 1000, 10000, 834.979}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dbandit::testing
