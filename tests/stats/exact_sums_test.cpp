#include "stats/exact_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dbandit::stats {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

Rational exactly(double value) {
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(exponent));
  return exponent < 0 ? Rational(Integer(digits), power) : Rational(Integer(digits) * power);
}

/// Whether no other double is nearer, and of two equally near ones it is the even one.
bool is_nearest(double found, const Rational& exact) {
  const Rational distance = abs(exactly(found) - exact);
  for (const double neighbour : {std::nextafter(found, -HUGE_VAL), std::nextafter(found, HUGE_VAL)}) {
    const Rational other = abs(exactly(neighbour) - exact);
    if (other < distance || (other == distance && std::bit_cast<std::uint64_t>(found) % 2 == 1)) return false;
  }
  return true;
}

struct Definition {
  Rational mean, variance;
};

/// Mean and variance in rational arithmetic of values rounded to the grid, one after the other.
Definition by_definition(const std::vector<double>& values, Grid grid) {
  const Rational unit(Integer(1), Integer(1) << static_cast<unsigned>(grid.bits));
  const Integer n(values.size());
  Rational sum = 0, squares = 0;
  for (const double value : values) sum += grid.round(value) * unit;
  const Rational mean = sum / n;
  for (const double value : values) squares += (grid.round(value) * unit - mean) * (grid.round(value) * unit - mean);
  return {mean, values.size() < 2 ? Rational(0) : squares / (n - 1)};
}

ExactSums sums_of(std::span<const double> values, Grid grid) {
  ExactSums sums;
  sums.add(values, grid);
  return sums;
}

/// Samples of all sizes and scales: far from zero, negative, tiny, equal, at the ends of what the grid holds.
std::vector<double> sample(std::mt19937_64& random, std::int64_t most) {
  const auto top = static_cast<double>(most);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::size_t size = 1 + random() % 200;
  const double centre = random() % 3 == 0 ? 0 : top * unit(random) / 2;
  const double scale = std::ldexp(top / 2, -static_cast<int>(random() % 60));
  std::vector<double> values(size);
  for (double& value : values) value = centre + scale * unit(random);
  if (random() % 4 == 0) values[random() % size] = random() % 2 == 0 ? top : -top;
  if (random() % 8 == 0) std::ranges::fill(values, centre);
  return values;
}

TEST(Grid, IsFinerThanABillionthOfAConversionUpToABillionRounds) {
  EXPECT_GE(Grid::up_to(1'000'000'000).bits, 31);
  EXPECT_GT(Grid::up_to(10'000).bits, Grid::up_to(1'000'000'000).bits);
}

TEST(Grid, RoundsToTheNearestMultipleAndTiesToEven) {
  const Grid grid{3};
  EXPECT_EQ(grid.round(1.0), 8);
  EXPECT_EQ(grid.round(0.0625), 0);  // half a unit
  EXPECT_EQ(grid.round(0.1875), 2);  // one and a half
  EXPECT_EQ(grid.round(-0.1875), -2);
  EXPECT_EQ(grid.round(0.07), 1);
  EXPECT_EQ(Grid::up_to(1 << 30).round(1073741824.0), std::int64_t{1} << 60);
}

TEST(ExactSums, GiveTheDoublesNearestToTheExactMeanAndVariance) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const std::int64_t most = std::int64_t{1} << (random() % 31);
    const Grid grid = Grid::up_to(most);
    const std::vector<double> values = sample(random, most);
    const Moments found = sums_of(values, grid).moments(grid);
    const Definition exact = by_definition(values, grid);
    ASSERT_EQ(found.count, static_cast<double>(values.size()));
    ASSERT_TRUE(is_nearest(found.mean, exact.mean)) << "trial " << trial;
    ASSERT_TRUE(is_nearest(found.variance, exact.variance)) << "trial " << trial;
  }
}

// 2^53 + 1 lies halfway between two doubles, and the even one of them is 2^53: a little more than halfway is 2^53 + 2, however little.
TEST(ExactSums, RoundUpWhatIsBeyondHalfwayByLessThanTheQuotientShows) {
  constexpr std::uint64_t n = 4096;
  ExactSums sums;
  sums.count = n;
  sums.squares_above = std::uint64_t{1} << 62;  // of no consequence for the mean
  sums.sum = ((Int128{1} << 53) + 1) * n;
  EXPECT_EQ(sums.moments({0}).mean, 0x1p53);
  sums.sum += 1;
  EXPECT_EQ(sums.moments({0}).mean, 0x1p53 + 2);
  sums.sum = -sums.sum;
  EXPECT_EQ(sums.moments({0}).mean, -(0x1p53 + 2));
}

TEST(ExactSums, AreTheSameInEveryOrderAndForEveryTreeOfMerges) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Grid grid = Grid::up_to(1'000'000'000);
    std::vector<double> values = sample(random, 1'000'000'000);
    const ExactSums expected = sums_of(values, grid);
    std::ranges::shuffle(values, random);
    std::vector<ExactSums> parts;
    for (std::size_t first = 0; first < values.size();) {
      const std::size_t count = std::min<std::size_t>(random() % 7, values.size() - first);  // none at all among them
      parts.push_back(sums_of(std::span(values).subspan(first, count), grid));
      first += count;
    }
    while (parts.size() > 1) {
      const std::size_t into = random() % parts.size(), from = random() % parts.size();
      if (into == from) continue;
      parts[into].merge(parts[from]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
    }
    ASSERT_EQ(parts.front(), expected) << "trial " << trial;
  }
}

TEST(ExactSums, OfADifferenceOfGrowthsHoldEvenWhereAllFourAreAtTheEndsOfTheGrid) {
  const Grid grid = Grid::up_to(1 << 20);
  const std::vector<double> high(3, 1 << 20), low(3, -(1 << 20));
  ExactSums sums;
  sums.add_growth_difference(low, high, high, low, grid);
  EXPECT_EQ(sums.moments(grid).mean, 4.0 * (1 << 20));
  EXPECT_EQ(sums.moments(grid).variance, 0);
  const std::vector<double> steps{1, 2, 4};
  ExactSums grown;
  grown.add_growth_difference(high, steps, high, high, grid);
  EXPECT_EQ(grown.moments(grid).mean, 7.0 / 3 - (1 << 20));
}

TEST(ExactSums, OfADifferenceAreThoseOfTheRoundedDifferences) {
  std::mt19937_64 random(3);
  const Grid grid = Grid::up_to(10'000);
  std::uniform_real_distribution<double> unit(0, 10'000);
  std::vector<double> a(301), b(301), rounded(301);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = unit(random);
    b[i] = unit(random);
    rounded[i] = std::ldexp(static_cast<double>(grid.round(a[i]) - grid.round(b[i])), -grid.bits);
  }
  ExactSums found;
  found.add_difference(a, b, grid);
  EXPECT_EQ(found.sum, sums_of(a, grid).sum - sums_of(b, grid).sum);
  const Definition exact = by_definition(rounded, grid);
  EXPECT_NEAR(found.moments(grid).mean, static_cast<double>(exact.mean), 1e-9);
  EXPECT_NEAR(found.moments(grid).variance, static_cast<double>(exact.variance), 1e-6);
  ExactSums none;
  none.add_difference(a, a, grid);
  EXPECT_EQ(none.moments(grid).mean, 0);
  EXPECT_EQ(none.moments(grid).variance, 0);
}

TEST(ExactSums, HoldATrillionOfTheLargestValues) {
  const Grid grid = Grid::up_to(1'000'000'000);
  const std::vector<double> pair{1e9, -1e9};
  ExactSums sums = sums_of(pair, grid);
  for (int doubling = 0; doubling < 39; ++doubling) sums.merge(ExactSums(sums));
  const Moments found = sums.moments(grid);
  EXPECT_EQ(found.count, 0x1p40);
  EXPECT_EQ(found.mean, 0);
  EXPECT_EQ(found.variance, 1e18 * (0x1p40 / (0x1p40 - 1)));
  ExactSums same = sums_of(std::vector<double>{1e9}, grid);
  for (int doubling = 0; doubling < 40; ++doubling) same.merge(ExactSums(same));
  EXPECT_EQ(same.moments(grid).mean, 1e9);
  EXPECT_EQ(same.moments(grid).variance, 0);
}

TEST(ExactSums, OfNothingAndOfOneValueHaveNoSpread) {
  const Grid grid = Grid::up_to(10);
  EXPECT_EQ(ExactSums{}.moments(grid).count, 0);
  EXPECT_EQ(ExactSums{}.moments(grid).mean, 0);
  const Moments one = sums_of(std::vector<double>{-2.5}, grid).moments(grid);
  EXPECT_EQ(one.mean, -2.5);
  EXPECT_EQ(one.variance, 0);
}

}  // namespace
}  // namespace dbandit::stats
