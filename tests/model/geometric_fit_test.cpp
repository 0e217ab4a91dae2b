#include "model/geometric_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dbandit::model {
namespace {

double value(const GeometricFit& fit, std::int64_t d) {
  double sum = 0;
  for (const auto& part : fit.parts) sum += part.weight * survival(Geometric{part.mean}, d);
  return sum;
}

class FitOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Model, FitOf,
                         ::testing::Values("weibull:0.7,400", "weibull:2,300", "lognormal:5,1.5", "pareto:2,500", "pareto:0.8,50",
                                           "empirical:5*0+3*4+2*9"));

// The certificate is checked with another sum: term by term in double, at every delay.
TEST_P(FitOf, IsWithinItsCertifiedErrorAtEveryDelay) {
  const DelayLaw law = parse_delay_law(GetParam());
  for (const std::int64_t last : {1000, 20'000}) {
    const GeometricFit fit = *fit_geometrics(law, last, 1e-5);
    double worst = 0;
    for (std::int64_t d = 0; d <= last; ++d) worst = std::max(worst, std::abs(value(fit, d) - survival(law, d)));
    EXPECT_LE(worst, fit.error) << last;
    EXPECT_GE(worst, 0.5 * fit.error - 1e-7) << last;  // and not much is given away
    EXPECT_LE(fit.parts.size(), 64u);
  }
}

TEST(Fit, OfHeavyTailsNeedsFewParts) {
  for (const char* text : {"weibull:0.7,400", "lognormal:5,1.5", "pareto:2,500"}) {
    const GeometricFit fit = *fit_geometrics(parse_delay_law(text), 4320, 1e-6);
    EXPECT_LE(fit.error, 1e-6) << text;
    EXPECT_LE(fit.parts.size(), 28u) << text;
  }
}

TEST(Fit, OfAMixtureIsTheMixture) {
  const GeometricFit fit = *fit_geometrics(criteo(10), 1000, 1e-6);
  EXPECT_EQ(fit.parts, criteo(10).parts);
  EXPECT_EQ(fit.error, 0);
}

// A step has no such sum: the fit says so instead of pretending.
TEST(Fit, OfAStepStatesHowBadItIs) { EXPECT_GT(fit_geometrics(Constant{500}, 1000, 1e-6)->error, 0.01); }

}  // namespace
}  // namespace dbandit::model
