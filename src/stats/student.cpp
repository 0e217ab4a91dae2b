#include "stats/student.hpp"

#include <cassert>
#include <cmath>

#include "core/double_double.hpp"
#include "core/gamma_function.hpp"

namespace dbandit::stats {

namespace {

constexpr DoubleDouble kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// Σ of (first)_n / (second)_n x^n, all terms positive: the series of the incomplete beta function.
DoubleDouble series(DoubleDouble first, DoubleDouble second, const DoubleDouble& x) {
  DoubleDouble term = 1, sum = 1;
  for (; term.high > sum.high * 1e-24; first += 1.0, second += 1.0) sum += (term *= first / second * x);
  return sum;
}

DoubleDouble density_factor(const DoubleDouble& v) { return gamma_ratio(v * 0.5) / sqrt(kPi * v); }

DoubleDouble density_at(const DoubleDouble& v, const DoubleDouble& factor, const DoubleDouble& square) {
  return factor * exp(-((v + 1.0) * 0.5) * log1p(square / v));
}

/// P(0 < T < t) = t f(t) Σ ((v+1)/2)_n / (3/2)_n y^n with y = t²/(v + t²); P(T > t) = t f(t)/v Σ ((v+1)/2)_n / (v/2+1)_n (1−y)^n. Of the
/// two the one whose argument is at most ½.
DoubleDouble tail_above(const DoubleDouble& v, const DoubleDouble& t, const DoubleDouble& density) {
  const DoubleDouble half = (v + 1.0) * 0.5, square = t * t, whole = v + square;
  return square < v ? DoubleDouble(0.5) - t * density * series(half, 1.5, square / whole)
                    : t * density / v * series(half, v * 0.5 + 1.0, v / whole);
}

}  // namespace

/// Newton on P(T > t) = tail from t = 0: the tail is convex, so the steps approach the root from below and never pass it.
double student_quantile(double degrees, double tail) {
  assert(degrees >= 1 && tail >= 1e-15 && tail <= 0.5);
  const DoubleDouble v = degrees, factor = density_factor(v);
  DoubleDouble t = 0;
  for (int i = 0; i < 200; ++i) {
    const DoubleDouble density = density_at(v, factor, t * t);
    const DoubleDouble step = (tail_above(v, t, density) - tail) / density;
    t += step;
    if (std::abs(step.high) <= t.high * 1e-12) break;  // the error of the next would be its square
  }
  return static_cast<double>(t);
}

double student_tail(double degrees, double t) {
  assert(degrees >= 1 && t >= 0);
  const DoubleDouble v = degrees, at = t;
  return static_cast<double>(tail_above(v, at, density_at(v, density_factor(v), at * at)));
}

}  // namespace dbandit::stats
