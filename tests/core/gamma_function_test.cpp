#include "core/gamma_function.hpp"

#include <gtest/gtest.h>

namespace dbandit {
namespace {

double relative(const DoubleDouble& a, const DoubleDouble& b) { return abs((a - b) / b).high; }

// Γ(b + 1) = b Γ(b), hence ratio(b) ratio(b + ½) = b; with Γ(½) = √π that fixes it.
TEST(GammaRatio, OfTwoHalfStepsIsTheArgument) {
  for (const double b : {0.5, 1.0, 7.25, 15.5, 16.0, 17.0, 1000.5, 5e8}) {
    EXPECT_LT(relative(gamma_ratio(b) * gamma_ratio(DoubleDouble(b) + 0.5), b), 1e-19) << b;
  }
  const DoubleDouble pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  EXPECT_LT(relative(gamma_ratio(1), sqrt(pi) / 2.0), 1e-19);  // Γ(3/2)
}

TEST(UpperGamma, IsTheClosedFormWhereThereIsOne) {
  const DoubleDouble pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  for (const double x : {0.0, 1e-9, 0.3, 1.49, 1.51, 7.0, 80.0, 600.0}) {
    EXPECT_LT(relative(upper_gamma(1, x), exp(-DoubleDouble(x))), 1e-18) << x;
    EXPECT_LT(relative(upper_gamma(2, x), exp(-DoubleDouble(x)) * (DoubleDouble(x) + 1.0)), 1e-18) << x;
    if (x == 0) continue;
    EXPECT_LT(relative(upper_gamma(0.5, x), sqrt(pi) * erfc(sqrt(DoubleDouble(x)))), 1e-18) << x;
  }
  EXPECT_EQ(upper_gamma(2, 1e300).high, 0);
}

}  // namespace
}  // namespace dbandit
