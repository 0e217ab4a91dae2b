#include <gtest/gtest.h>

#include <cmath>

#include "dbandit/model/bounds.hpp"
#include "reference/index.hpp"

namespace dbandit::reference {
namespace {

// θ̂ = 1/4 and 1/2, Ñ = 8 and 10: 8 (¼ ln ½ + ¼) + ln 8, and ln 10 of the best.
TEST(Imed, IsTheDivergenceToTheBestEstimatePlusTheLogarithm) {
  const std::vector<ArmStatistics> arms{{.conversions = 2, .exposure = 8, .pulls = 9}, {.conversions = 5, .exposure = 10, .pulls = 12}};
  const std::vector<double> indices = imed_indices(arms);
  EXPECT_NEAR(indices[0], 8 * (0.25 * std::log(0.5) + 0.25) + std::log(8), 1e-14);
  EXPECT_NEAR(indices[1], std::log(10), 1e-15);
  EXPECT_EQ(minimisers(indices), std::vector<std::size_t>{1});
}

TEST(Imed, PlaysWhatNothingIsKnownOfAndLeastExposedFailures) {
  EXPECT_EQ(minimisers(imed_indices(std::vector<ArmStatistics>{{1, 2, 2}, {0, 0, 1}, {0, 0, 1}})), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(minimisers(imed_indices(std::vector<ArmStatistics>{{0, 3, 3}, {0, 2, 2}, {0, 4, 4}})), std::vector<std::size_t>{1});
}

TEST(Imed, TiesWithinRoundingAreTies) {
  EXPECT_EQ(minimisers(std::vector<double>{0, 1e-13, 1e-9}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(minimisers(std::vector<double>{-2, -2 + 1e-12, -1}), (std::vector<std::size_t>{0, 1}));
}

TEST(Patient, AllowsForATailOfExponentAlphaUpToAHalf) {
  const ArmStatistics arm{.conversions = 3, .exposure = 16, .pulls = 16};
  EXPECT_DOUBLE_EQ(patient_index(arm, 2, 0.25), 3.0 / 16 + 0.25 + 0.5);
  EXPECT_EQ(patient_index(arm, 2, 0.9), patient_index(arm, 2, 0.5));
}

}  // namespace
}  // namespace dbandit::reference
