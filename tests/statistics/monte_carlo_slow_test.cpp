#include <gtest/gtest.h>

#include "statistics/monte_carlo.hpp"

namespace dbandit::testing {
namespace {

constexpr std::size_t kReplicas = 1'000'000;

class PrintedExpectation : public ::testing::TestWithParam<ExactCase> {};
INSTANTIATE_TEST_SUITE_P(Million, PrintedExpectation, ::testing::ValuesIn(kExactCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(PrintedExpectation, IsTheMeanOfAMillionReplicas) {
  expect_agreement(compare(GetParam().experiment(), kReplicas, GetParam().regret, GetParam().pulls));
}

class ExactExpectation : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Million, ExactExpectation, EachPolicy(), kPolicyName);

TEST_P(ExactExpectation, SimulatesToItsExactExpectationOnThreeArms) {
  if (policy::draws_privately(GetParam())) GTEST_SKIP() << "draws more than ties: no enumeration has its expectation";
  const model::Experiment e = experiment(GetParam(), {{0.6, 0.2, 0.4}, model::Geometric{0.5}}, 1, 5, 4);
  const Expectation exact = enumerate(e);
  ASSERT_NEAR(exact.mass, 1, 1e-12);
  expect_agreement(compare(e, kReplicas, exact.regret, exact.pulls[1]));
}

}  // namespace
}  // namespace dbandit::testing
