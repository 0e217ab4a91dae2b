#include "model/uniform_play.hpp"

#include <gtest/gtest.h>

namespace dbandit::model {
namespace {

// The expectations that the simulation of uniform play is tested with (statistics/kernel_exact_cases_test.cpp).
TEST(UniformPlay, HasTheRegretOfItsFormula) {
  const Problem low{{0.1, 0.05, 0.03}, Geometric{500}}, high{{0.5, 0.4, 0.3}, Geometric{500}};
  EXPECT_NEAR(uniform_regret(low, 1000, 1000), 22.712, 5e-4);
  EXPECT_NEAR(uniform_regret(high, {}, 10'000), 950.0, 1e-3);
  EXPECT_NEAR(uniform_regret(low, 1000, 10'000), 333.991, 5e-4);
}

// θ* τ* − (θ_1 τ^1 + θ_2 τ^2)/2, delays 0 and 2 for certain, T = 3: all of the first arm shows, of the second the first pull.
TEST(UniformPlay, OfArmsWithLawsOfTheirOwnCountsWhatEachShows) {
  const Problem problem{{0.5, 0.2}, Delays{std::vector<DelayLaw>{Constant{0}, Constant{2}}}};
  EXPECT_NEAR(uniform_regret(problem, {}, 3), 3 * 0.5 - (3 * 0.5 + 1 * 0.2) / 2, 1e-12);
}

}  // namespace
}  // namespace dbandit::model
