#include "stats/binomial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <random>

namespace dbandit::stats {
namespace {

/// The smaller tail within 1e-11, against Boost's at 80 bits.
TEST(IncompleteBeta, IsBoostsInBothTails) {
  std::mt19937_64 random(3);
  const auto uniform = [&] { return std::uniform_real_distribution<>()(random); };
  for (int i = 0; i < 20'000; ++i) {
    const double a = 1 + std::floor(std::pow(10, 4 * uniform())), b = 1 + std::floor(std::pow(10, 4 * uniform()));
    const double mean = a / (a + b), spread = std::sqrt(mean * (1 - mean) / (a + b));
    const double x = std::clamp(mean + spread * (12 * uniform() - 6), 1e-12, 1 - 1e-12);
    const long double wide = x, lower = boost::math::ibeta(static_cast<long double>(a), static_cast<long double>(b), wide);
    const long double upper = boost::math::ibetac(static_cast<long double>(a), static_cast<long double>(b), wide);
    const double ours = incomplete_beta(a, b, x);
    EXPECT_LT(std::abs(ours - static_cast<double>(lower)), 1e-11 * static_cast<double>(std::max(std::min(lower, upper), 1e-5L)))
        << a << ' ' << b << ' ' << x;
  }
}

TEST(BinomialCdf, IsTheSumOfItsChances) {
  for (const double q : {0.01, 0.3, 0.95, 0.99}) {
    for (const int n : {1, 2, 7, 40}) {
      double sum = 0, chance = std::pow(1 - q, n);
      for (int k = 0; k < n; ++k) {
        sum += chance;
        EXPECT_NEAR(binomial_cdf(n, q, k), sum, 1e-13) << n << ' ' << q << ' ' << k;
        chance *= q / (1 - q) * (n - k) / (k + 1);
      }
      EXPECT_EQ(binomial_cdf(n, q, n), 1);
      EXPECT_EQ(binomial_cdf(n, q, -1), 0);
    }
  }
}

TEST(BetaQuantile, IsTheInverse) {
  for (const double a : {1.0, 3.0, 250.0, 1e6}) {
    for (const double b : {1.0, 40.0, 9e4}) {
      for (const double p : {0.0005, 0.025, 0.5, 0.975, 0.9995})
        EXPECT_NEAR(incomplete_beta(a, b, beta_quantile(a, b, p)), p, 1e-9 + 2e-14 * (a + b)) << a << ' ' << b;
    }
  }
  EXPECT_NEAR(beta_quantile(1, 1, 0.3), 0.3, 1e-14);
}

}  // namespace
}  // namespace dbandit::stats
