#include "core/double_double.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>

namespace dbandit {
namespace {

struct Known {
  std::string_view function;
  double x, high, low;
};
constexpr Known kKnown[] = {
#include "core/double_double_reference.inc"
};

/// (a − b)/b for numbers that agree in most of their digits.
double relative(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble difference = a - b;
  return b.high == 0 ? difference.high : difference.high / b.high;
}

TEST(DoubleDouble, FunctionsAreRightToATenThousandthOfADoublesLastDigit) {
  for (const Known& known : kKnown) {
    const auto value = [&]() -> DoubleDouble {
      if (known.function == "exp") return exp(known.x);
      if (known.function == "expm1") return expm1(known.x);
      if (known.function == "log") return log(known.x);
      if (known.function == "log1p") return log1p(known.x);
      return erfc(known.x);
    }();
    EXPECT_LT(std::abs(relative(value, {known.high, known.low})), 1e-20) << known.function << ' ' << known.x;
  }
}

TEST(DoubleDouble, HasItsEnds) {
  EXPECT_EQ(exp(-800).high, 0);
  for (const double large : {710.0, 1e18, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(exp(large).high, std::numeric_limits<double>::infinity()) << large;
    EXPECT_EQ(expm1(large).high, std::numeric_limits<double>::infinity()) << large;
  }
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<double>::quiet_NaN()).high));
  EXPECT_EQ(log(0).high, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(erfc(30).high, 0);
  EXPECT_EQ(erfc(-30).high, 2);
  EXPECT_EQ(pow(0, 0.5).high, 0);
  EXPECT_EQ(pow(0, 0).high, 1);
  EXPECT_EQ(exp(0).high, 1);
}

// What is known exactly: products and sums of whole numbers of 50 bits have 100.
TEST(DoubleDouble, SumsProductsAndQuotientsOfWholeNumbersAreExact) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto a = static_cast<std::int64_t>(random() >> (14 + i % 40)), b = static_cast<std::int64_t>(random() >> (14 + i % 30)) + 1;
    const DoubleDouble x = DoubleDouble::of(a), y = DoubleDouble::of(b);
    ASSERT_EQ(x * y / y, x) << a << ' ' << b;
    ASSERT_EQ(x + y - y, x) << a << ' ' << b;
    ASSERT_EQ(floor(x), a);
    ASSERT_EQ(floor(x + 0.25), a);
    ASSERT_EQ(floor(x - DoubleDouble(0x1p-70)), a - 1);
  }
  EXPECT_EQ(DoubleDouble::of((std::int64_t{1} << 62) + 1), (DoubleDouble{0x1p62, 1}));
}

TEST(DoubleDouble, PowersInvert) {
  for (const double x : {0.001, 0.3, 1.7, 400.0}) {
    for (const double y : {0.1, 0.5, 0.7, 2.0, 3.0}) EXPECT_LT(std::abs(relative(pow(pow(x, y), DoubleDouble(1) / y), x)), 1e-19);
  }
}

}  // namespace
}  // namespace dbandit
