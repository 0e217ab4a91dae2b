#include "dbandit/stats/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "rng/draws.hpp"

namespace dbandit::stats {
namespace {

double uniform(std::uint64_t index, std::uint64_t row = 1) { return rng::open_uniform(rng::delay_bits(17, index, row)); }

std::vector<double> sample(std::size_t size, double centre = 0, double scale = 1, std::uint64_t row = 1) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = centre + scale * uniform(i, row);
  return values;
}

/// The definitions in extended precision, one value after the other.
Moments by_definition(const std::vector<double>& values) {
  long double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const long double mean = sum / static_cast<long double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto freedom = static_cast<long double>(values.size() - 1);
  return {static_cast<double>(values.size()), static_cast<double>(mean), freedom == 0 ? 0 : static_cast<double>(squares / freedom)};
}

void expect_near(const Moments& found, const Moments& expected, double relative) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_NEAR(found.mean, expected.mean, relative * std::abs(expected.mean));
  EXPECT_NEAR(found.variance, expected.variance, relative * expected.variance);
}

TEST(Moments, OfARowAreTheDefinitionsAtEverySize) {
  for (std::size_t size = 1; size <= 67; ++size) expect_near(moments(sample(size)), by_definition(sample(size)), 1e-14);
  expect_near(moments(sample(100'000)), by_definition(sample(100'000)), 1e-13);
}

TEST(Moments, KeepTheVarianceOfARowFarFromZero) {
  const std::vector<double> far = sample(10'000, 1e9);
  expect_near(moments(far), by_definition(far), 1e-9);
}

TEST(Moments, OfNothingAreZero) {
  EXPECT_EQ(moments({}).count, 0);
  EXPECT_EQ(moments({}).mean, 0);
  EXPECT_EQ(moments({}).variance, 0);
}

TEST(Moments, GiveTheUnbiasedVarianceAndItsError) {
  const Moments found = moments(std::vector<double>{1, 2, 3, 6});  // mean 3, squares 4 + 1 + 0 + 9
  EXPECT_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.variance, 14.0 / 3);
  EXPECT_DOUBLE_EQ(found.standard_error(), std::sqrt(14.0 / 12));
}

TEST(Moments, OfFewerThanTwoValuesHaveNoErrorToSpeakOf) {
  for (const Moments& few : {Moments{}, moments(std::vector<double>{4})}) {
    EXPECT_EQ(few.variance, 0);
    EXPECT_EQ(few.standard_error(), 0);
    EXPECT_EQ(half_width_95(few), std::numeric_limits<double>::infinity());
  }
}

/// 97.5 % quantiles of Student's law in 50-digit arithmetic (mpmath, from the incomplete beta function).
TEST(HalfWidth, IsTheStudentQuantileTimesTheError) {
  struct {
    double freedom, quantile;
  } const table[] = {
      {1, 12.706204736174704646},  {2, 4.3026527297494638523},   {3, 3.1824463052837095927},
      {4, 2.7764451051977943578},  {10, 2.2281388519862747484},  {30, 2.04227245630123831},
      {99, 1.9842169515864174951}, {999, 1.9623414611334499787}, {99'999, 1.9599877077718447791},
  };
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time among answers that are kept
    for (const auto& [freedom, quantile] : table) {
      const double count = freedom + 1;
      const Moments unit_error{count, 0, count};
      EXPECT_NEAR(half_width_95(unit_error), quantile, 1e-13 * quantile) << freedom;
      EXPECT_NEAR(half_width_95({count, 7, 4 * count}), 2 * quantile, 2e-13 * quantile) << freedom;
    }
  }
}

// Tables of Student's law for 9 degrees of freedom: 2.262157 at 0.975, 3.249836 at 0.995; for 4: 2.776445 and 4.604095.
TEST(HalfWidth, DependsOnWhatIsAskedForAndNotOnWhatWasAskedBefore) {
  const Moments ten{.count = 10, .mean = 0, .variance = 10}, five{.count = 5, .mean = 0, .variance = 5};  // standard errors of 1
  for (int again = 0; again < 2; ++again) {
    EXPECT_NEAR(half_width(ten, 0.05), 2.262157, 1e-6);
    EXPECT_NEAR(half_width(ten, 0.01), 3.249836, 1e-6);
    EXPECT_NEAR(half_width(five, 0.01), 4.604095, 1e-6);
    EXPECT_NEAR(half_width(five, 0.05), 2.776445, 1e-6);
  }
}

TEST(HalfWidth, CoversTheMeanOfSmallNormalSamplesNineteenTimesInTwenty) {
  // 20 000 samples of 4: the share covered is within 4 standard errors of 0.95 (false alarm 6e-5).
  constexpr int samples = 20'000;
  int covered = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    std::vector<double> values;
    for (std::uint64_t j = 0; j < 4; j += 2) {  // Box and Muller
      const double radius = std::sqrt(-2 * std::log(uniform(i, j))), angle = 2 * std::numbers::pi * uniform(i, j + 1);
      values.push_back(radius * std::cos(angle));
      values.push_back(radius * std::sin(angle));
    }
    const Moments found = moments(values);
    if (std::abs(found.mean) <= half_width_95(found)) ++covered;
  }
  EXPECT_NEAR(covered / static_cast<double>(samples), 0.95, 4 * std::sqrt(0.95 * 0.05 / samples));
}

}  // namespace
}  // namespace dbandit::stats
