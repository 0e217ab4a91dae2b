#include "stats/binomial.hpp"

#include <cassert>
#include <cmath>
#include <initializer_list>

#include "core/elementary.hpp"

namespace dbandit::stats {
namespace {

/// ln Γ(z) − ((z − ½) ln z − z + ½ ln 2π), z ≥ 1: Stirling's series from 10 on, below by recursion.
double stirling_rest(double z) {
  double rest = 0;
  for (; z < 10; z += 1) rest += (z + 0.5) * log1p_of(1 / z) - 1;
  const double inverse = 1 / z, square = inverse * inverse;
  return rest + inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square * (1.0 / 1188)))));
}

/// x^a (1−x)^b / B(a, b). Its logarithm is a sum of terms that are small near the mean, where it is needed most (Loader 2000).
double beta_term(double a, double b, double x) {
  constexpr double kTwoPi = 6.283185307179586;
  const double sum = a + b, off = (x * sum - a);
  const double exponent = a * log1p_of(off / a) + b * log1p_of(-off / b) + 0.5 * log_of(a * b / (sum * kTwoPi)) + stirling_rest(sum) -
                          stirling_rest(a) - stirling_rest(b);
  return exponent < -600 ? 0 : exp_of(exponent);
}

/// The continued fraction of I_x(a, b) (DLMF 8.17.22) by Lentz's method; it converges fast for x below the mean.
double fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
  for (double m = 1; m < 1e7; m += 1) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double part : {even, odd}) {
      d = 1 + part * d, c = 1 + part / c;
      if (std::abs(d) < kTiny) d = kTiny;
      if (std::abs(c) < kTiny) c = kTiny;
      d = 1 / d;
      value *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  assert(a >= 1 && b >= 1 && x >= 0 && x <= 1);
  if (x == 0 || x == 1) return x;
  if (x < (a + 1) / (a + b + 2)) return beta_term(a, b, x) * fraction(a, b, x) / a;
  return 1 - beta_term(b, a, 1 - x) * fraction(b, a, 1 - x) / b;
}

double binomial_cdf(double n, double q, double k) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incomplete_beta(n - k, k + 1, 1 - q);
}

double beta_quantile(double a, double b, double p) {
  double low = 0, high = 1;
  for (double middle = 0.5; low < middle && middle < high; middle = low + (high - low) / 2) {
    (incomplete_beta(a, b, middle) < p ? low : high) = middle;
    if (high - low < 1e-14 * high) break;
  }
  return high;
}

}  // namespace dbandit::stats
