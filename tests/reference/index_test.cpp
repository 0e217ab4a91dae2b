#include "reference/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dbandit::reference {
namespace {

using model::Clamp;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// h(S, ln t): the unclamped Poisson KL index of S conversions on one unit of exposure. Newton's method on x − 1 − ln x = β/S with 60
/// decimal digits (Python's decimal).
struct HighPrecision {
  double conversions;
  double round;
  double index;
};
constexpr HighPrecision kHighPrecision[] = {
    {1, 2, 2.67834699001666065341},        {1, 100, 7.63835206799381226937},  {2, 10, 6.72920464379032102307},
    {5, 1e4, 21.5044503415172123793},      {50, 1e4, 86.7752788779861897600}, {1000, 1e6, 1175.56093987728282301},
    {123456, 1e6, 125312.169374481134488}, {1e6, 2, 1001177.87216596864388},  {1e9, 1e9, 1000203598.02847738994},
};

TEST(KlIndex, EqualsItsHighPrecisionValueToTheLastDigits) {
  for (const auto& [conversions, round, index] : kHighPrecision) {
    for (const double exposure : {1.0, 0.8646648068, 3e4}) {
      const double expected = index / exposure;
      EXPECT_NEAR(klucb_index({conversions, exposure, 0}, std::log(round), Clamp::none), expected, 4e-16 * expected)
          << conversions << ' ' << exposure;
    }
  }
}

TEST(KlIndex, IsTheLargestNumberWithinTheDivergence) {
  const auto divergence = [](long double p, long double q) { return p * std::log(p / q) + q - p; };
  for (const double conversions : {1.0, 2.0, 7.0, 300.0}) {
    for (const double exposure : {400.5, 1234.0, 8e4}) {
      for (const double beta : {std::log(2.0), std::log(1e4), 50.0}) {
        const double index = klucb_index({conversions, exposure, 0}, beta, Clamp::one), estimate = conversions / exposure;
        if (index == 1) {
          EXPECT_LE(exposure * divergence(estimate, 1), beta);
          continue;
        }
        EXPECT_LE(exposure * divergence(estimate, index * (1 - 1e-14)), beta);
        EXPECT_GT(exposure * divergence(estimate, index * (1 + 1e-14)), beta);
      }
    }
  }
}

TEST(KlIndex, ClampedIsTheUnclampedOneCutAtOne) {
  int cut = 0, whole = 0;
  for (const double conversions : {0.0, 1.0, 3.0, 40.0}) {
    for (const double exposure : {0.002, 0.5, 4.0, 45.0, 700.0}) {
      const double unclamped = klucb_index({conversions, exposure, 0}, std::log(50), Clamp::none);
      const double clamped = klucb_index({conversions, exposure, 0}, std::log(50), Clamp::one);
      unclamped >= 1 ? ++cut : ++whole;
      EXPECT_NEAR(clamped, std::min(unclamped, 1.0), unclamped < 1 ? 4e-16 * unclamped : 0);
    }
  }
  EXPECT_GT(cut, 5);
  EXPECT_GT(whole, 5);
}

TEST(KlIndex, OfNoConversionsIsTheClosedForm) {
  EXPECT_EQ(klucb_index({0, 8, 9}, 3, Clamp::one), 3.0 / 8);
  EXPECT_EQ(klucb_index({0, 2, 9}, 3, Clamp::one), 1);
  EXPECT_EQ(klucb_index({0, 2, 9}, 3, Clamp::none), 1.5);
}

TEST(KlIndex, IsOneWhenTheEstimateIsBeyondOne) {
  EXPECT_EQ(klucb_index({1, 0.002, 1}, std::log(4), Clamp::one), 1);
  EXPECT_EQ(klucb_index({2, 2, 2}, std::log(4), Clamp::one), 1);
  EXPECT_GT(klucb_index({1, 0.002, 1}, std::log(4), Clamp::none), 500);
}

TEST(Index, OfAnArmWithoutExposureIsAsLargeAsItCanBe) {
  for (const double exposure : {0.0, -1e-17}) {
    EXPECT_EQ(klucb_index({0, exposure, 1}, 1, Clamp::one), 1);
    EXPECT_EQ(klucb_index({0, exposure, 1}, 1, Clamp::none), kInfinity);
    EXPECT_EQ(klucb_index({1, exposure, 1}, 1, Clamp::none), kInfinity);
    EXPECT_EQ(ucb_index({0, exposure, 1}, 1), kInfinity);
  }
}

TEST(UcbIndex, IsThePrintedProductOfRoots) {
  for (const double pulls : {1.0, 17.0, 5000.0}) {
    for (const double exposure : {0.002 * pulls, 0.8 * pulls}) {
      for (const double conversions : {0.0, 1.0, 0.3 * pulls}) {
        const double beta = std::log(777), estimate = conversions / exposure;
        const double printed = estimate + std::sqrt(pulls / exposure) * std::sqrt(beta / (2 * exposure));
        EXPECT_NEAR(ucb_index({conversions, exposure, pulls}, beta), printed, 1e-15 * printed);
      }
    }
  }
  EXPECT_EQ(ucb_index({3, 4, 8}, 4), 1.75);  // (3 + sqrt(8·4/2)) / 4, and beyond 1: no clamp
}

TEST(Exploration, GrowsAsTheLogarithmOfTheRound) {
  EXPECT_EQ(exploration(0, 1), 0);
  EXPECT_EQ(exploration(0, 1000), std::log(1000.0));
  EXPECT_EQ(exploration(0.5, 1000), 1.5 * std::log(1000.0));
}

TEST(Maximisers, AreAllArmsOfTheLargestIndexInRisingOrder) {
  const auto of = [](std::vector<double> indices) { return maximisers(indices); };
  using Arms = std::vector<std::size_t>;
  EXPECT_EQ(of({0.5}), Arms({0}));
  EXPECT_EQ(of({1, 0.5, 1, 1}), Arms({0, 2, 3}));
  EXPECT_EQ(of({0.1, std::nextafter(0.3, 1), 0.3}), Arms({1, 2}));  // rounding tells no arms apart
  EXPECT_EQ(of({0.3 * (1 - 0.9 * kTie), 0.3}), Arms({0, 1}));
  EXPECT_EQ(of({0.3 * (1 - 1.1 * kTie), 0.3}), Arms({1}));
  EXPECT_EQ(of({1e6 * (1 - 1.1 * kTie), 1e6}), Arms({1}));
  EXPECT_EQ(of({2, kInfinity, kInfinity}), Arms({1, 2}));
}

}  // namespace
}  // namespace dbandit::reference
