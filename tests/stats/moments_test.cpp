#include "dbandit/stats/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "dbandit/rng/draws.hpp"

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
  return {static_cast<double>(values.size()), static_cast<double>(mean), static_cast<double>(squares)};
}

void expect_near(const Moments& found, const Moments& expected, double relative) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_NEAR(found.mean, expected.mean, relative * std::abs(expected.mean));
  EXPECT_NEAR(found.m2, expected.m2, relative * expected.m2);
}

TEST(Moments, OfARowAreTheDefinitionsAtEverySize) {
  for (std::size_t size = 1; size <= 67; ++size) expect_near(moments(sample(size)), by_definition(sample(size)), 1e-14);
  expect_near(moments(sample(100'000)), by_definition(sample(100'000)), 1e-13);
}

TEST(Moments, KeepTheVarianceOfARowFarFromZero) {
  const std::vector<double> far = sample(10'000, 1e9);
  expect_near(moments(far), by_definition(far), 1e-9);
}

TEST(Moments, AddInOneDocumentedOrder) {
  for (std::size_t size = 8; size < 200; ++size) {
    const std::vector<double> values = sample(size, -0.5, 1e3, size);
    const auto interleaved = [&](auto term) {
      double partial[8] = {};
      for (std::size_t i = 0; i < size; ++i) partial[i % 8] += term(values[i]);
      return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
    };
    const double mean = interleaved([](double x) { return x; }) / static_cast<double>(size);
    const double m2 = interleaved([&](double x) { return (x - mean) * (x - mean); });
    EXPECT_EQ(moments(values).mean, mean);  // to the last bit: the order is part of the results
    EXPECT_EQ(moments(values).m2, m2);
  }
}

TEST(Moments, OfADifferenceAreThoseOfTheDifferences) {
  const std::vector<double> a = sample(1003, 5, 1, 1), b = sample(1003, 3, 2, 2);
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  const Moments found = moments_of_difference(a, b), expected = moments(differences);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.mean, expected.mean);
  EXPECT_EQ(found.m2, expected.m2);
  EXPECT_EQ(moments_of_difference(a, a).mean, 0);
  EXPECT_EQ(moments_of_difference(a, a).m2, 0);
}

TEST(Moments, OfPartsMergeToThoseOfTheWhole) {
  const std::vector<double> whole = sample(5'000, 2, 3);
  for (const std::size_t part : {1u, 7u, 64u, 1000u, 4999u}) {
    Moments merged;
    for (std::size_t first = 0; first < whole.size(); first += part) {
      merged.merge(moments(std::span(whole).subspan(first, std::min(part, whole.size() - first))));
    }
    expect_near(merged, by_definition(whole), 1e-12);
  }
}

TEST(Moments, OfNothingLeaveAMergeUnchangedToTheLastBit) {
  const Moments full = moments(sample(100));
  Moments left = full, right;
  left.merge({});
  right.merge(full);
  for (const Moments& merged : {left, right}) {
    EXPECT_EQ(merged.count, full.count);
    EXPECT_EQ(merged.mean, full.mean);
    EXPECT_EQ(merged.m2, full.m2);
  }
  EXPECT_EQ(moments({}).count, 0);
  EXPECT_EQ(moments({}).mean, 0);
  EXPECT_EQ(moments({}).m2, 0);
}

TEST(Moments, GiveTheUnbiasedVarianceAndItsError) {
  const Moments found = moments(std::vector<double>{1, 2, 3, 6});  // mean 3, squares 4 + 1 + 0 + 9
  EXPECT_EQ(found.mean, 3);
  EXPECT_EQ(found.m2, 14);
  EXPECT_DOUBLE_EQ(found.variance(), 14.0 / 3);
  EXPECT_DOUBLE_EQ(found.standard_error(), std::sqrt(14.0 / 12));
}

TEST(Moments, OfFewerThanTwoValuesHaveNoErrorToSpeakOf) {
  for (const Moments& few : {Moments{}, moments(std::vector<double>{4})}) {
    EXPECT_EQ(few.variance(), 0);
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
      const Moments unit_error{count, 0, count * freedom};
      EXPECT_NEAR(half_width_95(unit_error), quantile, 1e-13 * quantile) << freedom;
      EXPECT_NEAR(half_width_95({count, 7, 4 * count * freedom}), 2 * quantile, 2e-13 * quantile) << freedom;
    }
  }
}

// Tables of Student's law for 9 degrees of freedom: 2.262157 at 0.975, 3.249836 at 0.995; for 4: 2.776445 and 4.604095.
TEST(HalfWidth, DependsOnWhatIsAskedForAndNotOnWhatWasAskedBefore) {
  const Moments ten{.count = 10, .mean = 0, .m2 = 90}, five{.count = 5, .mean = 0, .m2 = 20};  // standard errors of 1
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
