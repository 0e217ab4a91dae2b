#include "rng/gamma.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"

namespace dbandit::rng {

namespace {

std::uint32_t part(const Words& call, std::uint64_t replica) {
  return static_cast<std::uint32_t>(call[replica % 4 / 2] >> (32 * (replica % 2)));
}

constexpr double kHalfLogTwoPi = 0.91893853320467274178;

/// ln Γ(b + 1) − ((b + ½) ln b − b + ½ ln 2π), Stirling's series; b ≥ 16, where its next term is below 2e-17.
double stirling(double b) {
  const double r = 1 / b, s = r * r;
  return r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188)))));
}

/// ln(x^a e^−x / Γ(a + 1)).
class LogTerm {
 public:
  explicit LogTerm(double shape) : a_(shape) {
    if (a_ >= kLarge) {
      constant_ = -(kHalfLogTwoPi + 0.5 * log_of(a_) + stirling(a_));
      return;
    }
    double b = a_, product = 1;
    while (b < kLarge) product *= ++b;
    constant_ = log_of(product) - ((b + 0.5) * log_of(b) - b + kHalfLogTwoPi + stirling(b));
  }
  double operator()(double x) const {
    if (a_ < kLarge) return a_ * log_of(x) - x + constant_;
    return a_ * log_of(x / a_) - (x - a_) + constant_;
  }

 private:
  static constexpr double kLarge = 16;
  double a_, constant_;
};

/// Σ x^n / ((a+1) … (a+n)): P = x^a e^−x / Γ(a+1) times this.
double lower_series(double a, double x) {
  double sum = 1, term = 1;
  for (double n = a + 1; term > sum * 0x1p-54; n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/// Q = x^a e^−x / Γ(a+1) times a times this continued fraction (Lentz); x ≥ a + 1.
double upper_fraction(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
  for (double n = 1;; n += 1) {
    const double numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const double factor = c * d;
    value *= factor;
    if (std::abs(factor - 1) < 0x1p-52) return value;
  }
}

/// Φ⁻¹(p), p ≤ ½, within 5e-4 (Abramowitz and Stegun 26.2.23): where Newton starts.
double normal_quantile(double p) {
  const double t = std::sqrt(-2 * log_of(p));
  return -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}

double start(double a, double lower, double upper) {
  const double z = lower < upper ? normal_quantile(lower) : -normal_quantile(upper);
  const double root = 1 - 1 / (9 * a) + z / (3 * std::sqrt(a));
  if (root > 0.3) return a * root * root * root;
  // P ≤ x^a / Γ(a+1)
  return exp_of((log_of(lower) - LogTerm(a)(1) - 1) / a);
}

}  // namespace

std::uint32_t policy_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm) {
  return part(words(seed, Stream::policy, arm, replica / 4, round), replica);
}

std::uint64_t policy_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm) {
  const std::uint32_t trailing = part(words(seed, Stream::policy, arm + (1 << 23), replica / 4, round), replica);
  return static_cast<std::uint64_t>(policy_key(seed, replica, round, arm)) << 20 | trailing >> 12;
}

/// Newton in ln x on the logarithm of the smaller tail. The density of ln X is log-concave, hence so are both tails: from the second
/// step on the iterates approach the root from one side, from wherever they start. (A step is at most 2, so that the first cannot leave.)
double gamma_quantile(double shape, double lower, double upper) {
  const double a = shape, least = exp_of(-600);
  const LogTerm log_term(a);
  const bool in_lower = lower < upper;
  const double log_tail = log_of(in_lower ? lower : upper);
  double x = start(a, lower, upper);
  for (int i = 0; i < 200; ++i) {
    const double term = log_term(x);
    double step = 0;
    if (in_lower) {
      const double series = lower_series(a, x);
      step = (log_tail - term - log_of(series)) * series / a;
    } else if (x >= a + 1) {
      const double fraction = upper_fraction(a, x);
      step = (term + log_of(a * fraction) - log_tail) * fraction;
    } else {
      const double density = exp_of(term), tail = 1 - density * lower_series(a, x);
      step = (log_of(tail) - log_tail) * tail / (a * density);
    }
    step = std::clamp(step, -2.0, 2.0);
    x = std::max(x * exp_of(step), least);
    // The error after a step is at most that of the step squared, times the number of standard deviations in a unit of ln x.
    if (step * step * std::sqrt(a + 1) < 1e-16 || (x == least && step < 0)) break;
  }
  return x;
}

double gamma_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double shape) {
  const double lower = open_uniform(policy_bits(seed, replica, round, arm));
  return gamma_quantile(shape, lower, 1 - lower);
}

double beta_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double successes, double failures) {
  const double x = gamma_at(seed, replica, round, arm, successes), y = gamma_at(seed, replica, round, arm + kSecondVariate, failures);
  return x / (x + y);
}

/// From shape 16 on the expansion of the cube root in powers of s = a^−½, to s^6 (Cornish and Fisher; the coefficients follow from the
/// differential equation of the quantile); below, interpolation at Chebyshev's points. The errors are bounds of what gamma_test.cpp
/// measures. What is no estimate defines no result: here the C library may be used.
QuantileFit quantile_fit(double shape) {
  constexpr int kPoints = QuantileFit::kDegree + 1;
  QuantileFit fit{};
  double c[kPoints] = {};
  const double s = 1 / std::sqrt(shape);
  const double least = shape < 16 ? -2.5 : -4.0;
  double error = 0;
  fit.least = static_cast<float>(least);
  if (shape < 1) {
    fit.error = 1;
    return fit;
  }
  if (shape >= 16) {
    const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s5 = s4 * s, s6 = s3 * s3;
    c[0] = 1 - s2 / 9 - s4 * 7 / 1215 + s6 * 121 / 76545;
    c[1] = s / 3 + s3 / 108 - s5 * 5 / 2592;
    c[2] = s4 * 4 / 1215 + s6 * 134 / 76545;
    c[3] = -s3 / 324 - s5 * 5 / 2916;
    c[4] = s4 / 1215 + s6 * 2 / 5103;
    c[5] = -s5 / 7776;
    c[6] = s6 / 229635;
    error = 3e-5 * (16 / shape) * (16 / shape) * (16 / shape);
  } else {
    double at[kPoints], slope[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const double place = std::cos(3.14159265358979323846 * (i + 0.5) / kPoints);
      at[i] = (QuantileFit::kMost + least) / 2 + (QuantileFit::kMost - least) / 2 * place;
      slope[i] = std::cbrt(gamma_quantile(shape, std::erfc(-at[i] * std::sqrt(0.5)) / 2, std::erfc(at[i] * std::sqrt(0.5)) / 2) / shape);
    }
    // Newton's divided differences, then Horner by symbols.
    for (int order = 1; order < kPoints; ++order) {
      for (int i = kPoints - 1; i >= order; --i) slope[i] = (slope[i] - slope[i - 1]) / (at[i] - at[i - order]);
    }
    for (int i = kPoints - 1; i >= 0; --i) {
      for (int j = kPoints - 1; j > 0; --j) c[j] = c[j - 1] - at[i] * c[j];
      c[0] = slope[i] - at[i] * c[0];
    }
    error = 8e-3 / (shape * shape * shape * shape);
  }
  for (int j = 0; j < kPoints; ++j) fit.coefficient[j] = static_cast<float>(c[j]);
  fit.error = static_cast<float>(error + 2e-5 * s + 2e-6);
  return fit;
}

}  // namespace dbandit::rng
