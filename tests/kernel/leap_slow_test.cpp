#include <gtest/gtest.h>

#include "kernel/leaping.hpp"

namespace dbandit::testing {
namespace {

class LeapingFar : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, LeapingFar, ::testing::ValuesIn(policies_that_leap()), kPolicyName);

TEST_P(LeapingFar, PullsTheReferencesArmsOnThousandsOfSmallRandomProblems) { expect_the_references_paths_by_leaps(GetParam(), 4'000); }

TEST_P(LeapingFar, PullsTheArmsOfTheRoundsEngineForAMillionRounds) {
  for (const std::size_t arms : {2, 3, 10, 30}) {
    for (const double best : {0.5, 0.1, 0.01}) {
      model::Experiment e = long_experiment(GetParam(), arms, best, "geometric:500", 1'000'000);
      if (e.window) e.window = 1'000;
      expect_the_rounds_paths_by_leaps(e, {.first = 0, .count = 2}, kernel::best_target());
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
