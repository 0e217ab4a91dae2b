// Laws of ⌊X⌋ for a continuous X: Weibull, LogNormal, Pareto. P(⌊X⌋ > d) = P(X ≥ d + 1).
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "laws.hpp"

namespace dbandit::model {

namespace {

constexpr long double kSqrtHalf = 0.70710678118654752440L;

/// E⌊X⌋ = Σ_{n ≥ 1} P(X ≥ n): the first terms one by one, the rest by Euler and Maclaurin from P(X ≥ ·) and its integral. With so many
/// terms before it the next correction, a third derivative over 720, is below the last digit of a double.
template <class Law, class Beyond>
double mean_by_survivals(const Law& law, Beyond beyond) {
  constexpr std::int64_t kFirst = 4096;
  long double sum = 0;
  for (std::int64_t n = kFirst - 1; n >= 1; --n) sum += survival_of(law, n - 1);
  const long double here = survival_of(law, kFirst - 1), slope = (survival_of(law, kFirst) - survival_of(law, kFirst - 2)) / 2;
  return static_cast<double>(sum + beyond(static_cast<long double>(kFirst)) + here / 2 - slope / 12);
}

}  // namespace

/// ∫_n^∞ exp(−(x/s)^k) dx = (s/k) Γ(1/k, (n/s)^k).
double mean_of(const Weibull& law) {
  const long double shape = law.shape, scale = law.scale;
  return mean_by_survivals(law, [&](long double n) { return scale / shape * boost::math::tgamma(1 / shape, std::pow(n / scale, shape)); });
}

long double survival_of(const Weibull& law, std::int64_t d) {
  return std::exp(-std::pow((d + 1.0L) / law.scale, static_cast<long double>(law.shape)));
}

long double cdf_of(const Weibull& law, std::int64_t d) {
  return -std::expm1(-std::pow((d + 1.0L) / law.scale, static_cast<long double>(law.shape)));
}

/// ∫_n^∞ P(X > x) dx = E[(X − n)⁺].
double mean_of(const LogNormal& law) {
  const long double mu = law.mu, sigma = law.sigma;
  const auto above = [](long double z) { return std::erfc(-z * kSqrtHalf) / 2; };
  return mean_by_survivals(law, [&](long double n) {
    return std::exp(mu + sigma * sigma / 2) * above((mu + sigma * sigma - std::log(n)) / sigma) - n * above((mu - std::log(n)) / sigma);
  });
}

long double survival_of(const LogNormal& law, std::int64_t d) {
  return std::erfc((std::log(d + 1.0L) - law.mu) / law.sigma * kSqrtHalf) / 2;
}

long double cdf_of(const LogNormal& law, std::int64_t d) { return std::erfc(-(std::log(d + 1.0L) - law.mu) / law.sigma * kSqrtHalf) / 2; }

double mean_of(const Pareto& law) {
  if (law.shape <= 1) return std::numeric_limits<double>::infinity();
  const long double shape = law.shape, scale = law.scale;
  return mean_by_survivals(law, [&](long double n) { return scale / (shape - 1) * std::pow(1 + n / scale, 1 - shape); });
}

long double survival_of(const Pareto& law, std::int64_t d) { return std::exp(-law.shape * std::log1p((d + 1.0L) / law.scale)); }
long double cdf_of(const Pareto& law, std::int64_t d) { return -std::expm1(-law.shape * std::log1p((d + 1.0L) / law.scale)); }

}  // namespace dbandit::model
