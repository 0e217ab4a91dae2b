#include "kernel/policy/poisson.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "dbandit/core/aligned.hpp"
#include "kernel/targets.hpp"
#include "reference/index.hpp"

/// The numerator h(S, β) of the Poisson KL index by every solver on every target, against 40 digits.
namespace dbandit::testing {
namespace {

using model::Solver;

struct Row {
  double conversions, beta;
  long double bound;
};
constexpr Row kReference[] = {
#include "kernel/poisson_reference.inc"
};

double bound(const kernel::Target& target, Solver solver, double conversions, double beta) {
  AlignedVector<double> seen(kLaneGroup, conversions), bounds(kLaneGroup);
  target.poisson_bounds(solver, seen.data(), beta, bounds.data(), 1);
  return bounds[0];
}

/// Units in the last place of the exact value, which a long double knows to 2^-11 of one.
double ulps(double value, long double exact) {
  const auto nearest = static_cast<double>(exact);
  const double ulp = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::abs(value - exact)) / ulp;
}

class PoissonBound : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Kernel, PoissonBound, EachTarget(), kTargetName);

TEST_P(PoissonBound, ByNewtonAndBisectionIsWithinTheirUlps) {
  for (const auto& [conversions, beta, exact] : kReference) {
    for (const Solver solver : {Solver::newton, Solver::bisection}) {
      EXPECT_LE(ulps(bound(GetParam(), solver, conversions, beta), exact), kernel::kSolverUlps)
          << "S " << conversions << " beta " << beta << " solver " << static_cast<int>(solver);
    }
  }
}

TEST_P(PoissonBound, ByPolynomialIsWithinItsErrorAndBeyondItsEndIsNewtons) {
  int beyond = 0;
  for (const auto& [conversions, beta, exact] : kReference) {
    const double direct = bound(GetParam(), Solver::direct, conversions, beta);
    EXPECT_LE(std::abs(static_cast<double>(direct / exact - 1)), kernel::kPolynomialError) << "S " << conversions << " beta " << beta;
    if (conversions == 0 || std::sqrt(2 * (beta / conversions)) <= kernel::kPolynomialEnd) continue;
    ++beyond;
    EXPECT_EQ(direct, bound(GetParam(), Solver::newton, conversions, beta));
  }
  EXPECT_GT(beyond, 100);
}

/// The polynomial is the cheap one: if it were exact, the test above could not tell it from the others.
TEST_P(PoissonBound, ByPolynomialIsAnApproximation) {
  double worst = 0;
  for (const auto& [conversions, beta, exact] : kReference) {
    worst = std::max(worst, std::abs(static_cast<double>(bound(GetParam(), Solver::direct, conversions, beta) / exact - 1)));
  }
  EXPECT_GT(worst, kernel::kPolynomialError / 2);
}

TEST_P(PoissonBound, HasThePrintedValues) {
  for (const Solver solver : {Solver::newton, Solver::bisection}) {
    EXPECT_NEAR(bound(GetParam(), solver, 1, std::log(100.0)), 7.63835206799381, 1e-14);
    EXPECT_NEAR(bound(GetParam(), solver, 5, std::log(1e4)), 21.5044503415172, 1e-13);
    EXPECT_NEAR(bound(GetParam(), solver, 50, std::log(1e4)), 86.7752788779862, 1e-13);
    EXPECT_NEAR(bound(GetParam(), solver, 1000, std::log(1e6)), 1175.56093987728, 1e-11);
  }
}

// x = g(c) = −W₋₁(−e^{−1−c}). Boost loses digits towards the branch point (small c) and the exponential underflows at c = 744: the
// middle of the range only, to 1e-13.
TEST_P(PoissonBound, IsTheOtherBranchOfLambertsFunction) {
  for (double c = 0.05; c < 700; c *= 1.07) {
    const double x = -boost::math::lambert_wm1(-std::exp(-1 - c));
    EXPECT_NEAR(bound(GetParam(), Solver::newton, 1, c) / x, 1, 1e-13) << c;
    EXPECT_NEAR(bound(GetParam(), Solver::bisection, 1, c) / x, 1, 1e-13) << c;
  }
}

TEST_P(PoissonBound, WithoutConversionsIsBetaToTheLastBit) {
  for (const Solver solver : kSolvers) {
    for (const double beta : {1e-16, 0.0, 0.6931471805599453, 9.2, 1e7}) EXPECT_EQ(bound(GetParam(), solver, 0, beta), beta);
  }
}

// U = h/Ñ whatever Ñ is, because θ̂ Ñ = S.
TEST_P(PoissonBound, OverAnyExposureIsTheReferencesUnclampedIndex) {
  for (const double exposure : {0.002, 0.7, 31.0, 8646.6}) {
    for (const auto& [conversions, beta, exact] : kReference) {
      const double index = reference::klucb_index({.conversions = conversions, .exposure = exposure}, beta, model::Clamp::none);
      EXPECT_NEAR(bound(GetParam(), Solver::newton, conversions, beta) / exposure / index, 1, 2e-14) << conversions << " " << beta;
    }
  }
}

// Neighbours of all sizes in one array: a lane must not depend on what else is in its vector, whose width depends on the target.
TEST(PoissonBounds, HaveTheSameBitsOnEveryTargetWhateverTheirNeighbours) {
  std::mt19937_64 random(5);
  AlignedVector<double> seen(1000), expected(seen.size()), bounds(seen.size());
  for (double& s : seen) s = std::floor(std::exp2(static_cast<double>(random() % 1000) / 50) - 1);
  for (const Solver solver : kSolvers) {
    for (const double beta : {1e-3, 0.69, 9.2, 21.0, 25.0, 400.0, 1e7}) {
      for (std::size_t i = 0; i < seen.size(); ++i) expected[i] = bound(kernel::targets().back(), solver, seen[i], beta);
      for (const kernel::Target& target : supported_targets()) {
        target.poisson_bounds(solver, seen.data(), beta, bounds.data(), bounds.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(bounds[i]), std::bit_cast<std::uint64_t>(expected[i]))
              << target.name << " S " << seen[i] << " beta " << beta << " solver " << static_cast<int>(solver);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
