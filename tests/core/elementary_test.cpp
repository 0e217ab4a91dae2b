#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/double_double.hpp"

namespace dbandit {
namespace {

/// Units in the last place of the exact value, which a DoubleDouble knows to 1e-20 (double_double_test.cpp).
double ulps(double value, const DoubleDouble& exact) {
  const double size = std::abs(exact.high), unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return std::abs((DoubleDouble(value) - exact).high) / unit;
}

TEST(Elementary, IsWithinTheUlpsThatItStates) {
  std::mt19937_64 random(2017);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double size = std::exp2(static_cast<double>(random() % 100'000) / 1000 - 60);
    for (const double x : {size, -size}) {
      if (x > 0) worst = std::max(worst, ulps(log_of(x), log(DoubleDouble(x))));
      if (x > -1) worst = std::max(worst, ulps(log1p_of(x), log1p(DoubleDouble(x))));
      if (size < 600)
        worst = std::max({worst, ulps(exp_of(x), exp(DoubleDouble(x))), ulps(exponential(x).value, exp(DoubleDouble(x))),
                          ulps(exponential(x).less_one, expm1(DoubleDouble(x)))});
    }
    ASSERT_LE(worst, kElementaryUlps) << size;
  }
  EXPECT_GT(worst, 0.5) << "nothing was compared";
}

TEST(Elementary, HasItsEnds) {
  EXPECT_EQ(log_of(1), 0);
  EXPECT_EQ(log1p_of(0), 0);
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exponential(0).value, 1);
  EXPECT_EQ(exponential(0).less_one, 0);
  EXPECT_EQ(log1p_of(1e-300), 1e-300);
  EXPECT_EQ(exponential(-1e-300).less_one, -1e-300);
  EXPECT_EQ(exp_of(-1e9), exp_of(-600));
  EXPECT_EQ(exponential(-1e9).less_one, -1);
}

}  // namespace
}  // namespace dbandit
