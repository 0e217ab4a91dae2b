#include <gtest/gtest.h>

#include <array>

#include "statistics/invariants.hpp"

namespace dbandit::testing {
namespace {

class EstimatorInvariants : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Slow, EstimatorInvariants, EachPolicy(), kPolicyName);

// 32 policies × 3 problems × 5 rounds × 3 arms × 2 identities at 5 standard errors, 2880 × 5.7e-7: one false alarm in 610 seeds.
TEST_P(EstimatorInvariants, LeavesTheEstimatorItsMeanAndItsVariance) {
  const std::array<std::int64_t, 5> rounds{3, 10, 30, 70, 100};
  const std::array<model::Problem, 3> problems{model::Problem{{0.5, 0.4, 0.3}, model::Geometric{10}},
                                               model::Problem{{0.9, 0.5, 0.1}, model::Geometric{1}},
                                               model::Problem{{0.1, 0.05, 0.03}, model::Geometric{30}}};
  for (const model::Problem& problem : problems) {
    const model::Experiment e = experiment(GetParam(), problem, 20, 100, 31);
    for (const auto& [round, arm, mean, variance] : invariant_scores(e, rounds, 10'000)) {
      EXPECT_LT(std::abs(mean), 5) << "round " << round << " arm " << arm;
      EXPECT_LT(std::abs(variance), 5) << "round " << round << " arm " << arm;
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
