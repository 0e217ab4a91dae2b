#include <gtest/gtest.h>

#include "kernel/small_worlds.hpp"

namespace dbandit::testing {
namespace {

class Trajectories : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Thousands, Trajectories, EachPolicy(), kPolicyName);

// Every solver on every one of 13 × 3000 problems.
TEST_P(Trajectories, AreTheReferencesOnThousandsOfSmallRandomProblems) {
  expect_the_references_paths(GetParam(), 3000, 10, [](int, model::Solver) { return true; });
}

}  // namespace
}  // namespace dbandit::testing
