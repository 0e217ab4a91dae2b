#include "stats/signed_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dbandit::stats {
namespace {

/// Σ of the ranks of what is positive, ranks as they are defined: one more than how many are smaller, and half of those that are equal.
double positive_ranks(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    if (value <= 0) continue;
    double rank = 0.5;
    for (const double other : values) rank += std::abs(other) < std::abs(value) ? 1 : std::abs(other) == std::abs(value) ? 0.5 : 0;
    sum += rank;
  }
  return sum;
}

TEST(SignedRank, ChanceIsTheShareOfAllSignsWithRanksAsHigh) {
  for (const std::vector<double>& given :
       {std::vector{0.4, -1.1, 2.0, 3.5, -0.2, 5.0, 0.9}, std::vector{1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 0.5, 0.5}}) {
    const double observed = positive_ranks(given);
    int as_high = 0, as_low = 0;
    const int all = 1 << given.size();
    for (int signs = 0; signs < all; ++signs) {
      std::vector<double> flipped = given;
      for (std::size_t i = 0; i < given.size(); ++i) flipped[i] = std::abs(given[i]) * ((signs >> i & 1) != 0 ? 1 : -1);
      as_high += positive_ranks(flipped) >= observed ? 1 : 0;
      as_low += positive_ranks(flipped) <= observed ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(signed_rank_above(given, 0), static_cast<double>(as_high) / all);
    EXPECT_DOUBLE_EQ(signed_rank_below(given, 0), static_cast<double>(as_low) / all);
  }
}

/// Hollander and Wolfe (1973), p. 29: nine patients before and after; the book's p-value is 0.019.
TEST(SignedRank, AgreesWithTheTextbook) {
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
      after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences(before.size());
  std::ranges::transform(before, after, differences.begin(), std::minus<>());
  EXPECT_NEAR(signed_rank_above(differences, 0), 10.0 / 512, 1e-15);
}

TEST(SignedRank, TheIntervalIsTheCentresThatTheTestDoesNotReject) {
  const std::vector<double> given{0.31, -0.12, 0.55, 0.02, 0.77, 0.40, 0.18, -0.05, 0.61, 0.29};
  const double alpha = 0.05;
  const CentreInterval interval = signed_rank_interval(given, alpha);
  for (double centre = -0.5; centre < 1; centre += 0.00137) {
    const bool rejected = signed_rank_above(given, centre) <= alpha / 2 || signed_rank_below(given, centre) <= alpha / 2;
    EXPECT_EQ(rejected, centre < interval.low || centre > interval.high) << centre;
  }
  EXPECT_LT(interval.low, interval.estimate);
  EXPECT_LT(interval.estimate, interval.high);
}

TEST(SignedRank, FewPairsHaveAnInfiniteInterval) {
  for (const std::vector<double>& given : {std::vector<double>{}, std::vector{0.1, 0.2, 0.3}}) {
    EXPECT_EQ(signed_rank_interval(given, 0.05).width(), std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(signed_rank_above(std::vector<double>{}, 0), 1);
  EXPECT_EQ(signed_rank_above(std::vector<double>(20, 0.0), 0), 1) << "equal times are no change";
}

TEST(Holm, MultipliesTheSmallestByAllAndKeepsTheirOrder) {
  EXPECT_EQ(holm(std::vector{0.01, 0.04, 0.03, 0.5}), (std::vector{0.04, 0.09, 0.09, 0.5}));
  EXPECT_EQ(holm(std::vector{0.6, 0.7}), (std::vector{1.0, 1.0}));
}

/// Log ratios of two programs' times as a shared machine makes them: some per cent of noise, and now and then a spike on either side.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}
  double log_ratio(double change) { return change + time() - time(); }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double time() {
    const double noise = 0.02 * (uniform() + uniform() + uniform() - 1.5);
    return uniform() < 0.05 ? noise - 0.2 * std::log(1 - uniform()) : noise;
  }
  std::mt19937_64 random_;
};

constexpr std::size_t kRows = 8, kFamilies = 400;
constexpr double kAlpha = 0.05, kWidth = 0.02;

/// In how many of kFamilies comparisons of kRows rows, each repeated until it is precise, a row of `change` is said to have changed.
int said_to_change(double change, double margin, std::size_t rows_that_change, std::uint64_t seed) {
  Machine machine(seed);
  int said = 0;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    std::vector<std::vector<double>> rows(kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      while (!are_enough(rows[row], kWidth, kAlpha)) rows[row].push_back(machine.log_ratio(row < rows_that_change ? change : 0));
    }
    const auto judged = judge_changes(rows, margin, kAlpha);
    said += std::ranges::any_of(judged, [](const Judgement& row) { return row.p < kAlpha; }) ? 1 : 0;
  }
  return said;
}

/// Four standard errors above 5 % of 400: a false alarm in 3e-5.
const int kMostFalse = static_cast<int>(kFamilies * (kAlpha + 4 * std::sqrt(kAlpha * (1 - kAlpha) / kFamilies)));

TEST(Changes, OfTheSameProgramAreSaidInAtMostFivePerCentOfComparisonsAlsoWhenItIsRepeatedUntilPrecise) {
  EXPECT_LE(said_to_change(0, 0, kRows, 1), kMostFalse);
}

TEST(Changes, OfTheSameProgramBeyondTwoPerCentAreNeverSaid) { EXPECT_EQ(said_to_change(0, std::log(1.02), kRows, 2), 0); }

TEST(Changes, OfJustTheMarginAreSaidInAtMostFivePerCent) {
  EXPECT_LE(said_to_change(std::log(1.02), std::log(1.02), kRows, 3), kMostFalse);
}

/// Even when a twentieth of all times is off by 20 %.
TEST(Changes, OfFivePerCentInOneOfEightRowsAreFoundBeyondTwoPerCentInSixOfSevenComparisons) {
  EXPECT_GE(said_to_change(std::log(1.05), std::log(1.02), 1, 4), static_cast<int>(kFamilies * 6 / 7));
  EXPECT_GE(said_to_change(-std::log(1.05), std::log(1.02), 1, 5), static_cast<int>(kFamilies * 6 / 7));
}

}  // namespace
}  // namespace dbandit::stats
