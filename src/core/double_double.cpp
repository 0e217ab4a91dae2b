#include "core/double_double.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"

namespace dbandit {

namespace {

constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble kTwoOverRootPi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};

/// x 2^n for a normal result or 0.
DoubleDouble scaled(const DoubleDouble& x, int n) { return {std::ldexp(x.high, n), std::ldexp(x.low, n)}; }

/// e^r − 1 for |r| ≤ ln 2 / 256. From the third power on a double's digits are enough: r³/6 is below 4e-6 r.
DoubleDouble expm1_small(const DoubleDouble& r) {
  const double x = r.high;
  const double rest = x * x * x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720 + x * (1.0 / 5040)))));
  return r + (r * r * 0.5 + rest);
}

/// 2^(i/128), by squarings of what the series gives.
constexpr int kSteps = 128;
std::array<DoubleDouble, kSteps> powers_of_two() {
  std::array<DoubleDouble, kSteps> powers;
  for (int i = 0; i < kSteps; ++i) {
    // The full series of (i/128) ln 2 / 256, eight times squared: done once, so all the digits are taken.
    const DoubleDouble s = kLn2 * (i / 128.0 / 256);
    DoubleDouble y = 0, term = 1;
    for (int n = 1; n <= 12; ++n) y += (term = term * s / static_cast<double>(n));
    for (int n = 0; n < 8; ++n) y = y * (y + 2.0);
    powers[static_cast<std::size_t>(i)] = y + 1.0;
  }
  return powers;
}

/// e^x = 2^(k/128) e^r.
struct Reduced {
  DoubleDouble power, rest;  ///< 2^(k mod 128 / 128), e^r − 1
  int exponent;              ///< ⌊k/128⌋
};
Reduced reduce(const DoubleDouble& x) {
  static const std::array<DoubleDouble, kSteps> powers = powers_of_two();
  const double k = std::floor(x.high * (128 * 0x1.71547652b82fep+0) + 0.5);
  const auto whole = static_cast<int>(k);
  const int step = whole & (kSteps - 1);
  return {powers[static_cast<std::size_t>(step)], expm1_small(x - scaled(kLn2, -7) * k), (whole - step) / kSteps};
}

}  // namespace

DoubleDouble exp(const DoubleDouble& x) {
  if (x.high < -745) return 0;
  if (!(x.high < 710)) return x.high * std::numeric_limits<double>::infinity();  // infinite; NaN stays one
  const Reduced r = reduce(x);
  return scaled(r.power + r.power * r.rest, r.exponent);
}

DoubleDouble expm1(const DoubleDouble& x) {
  if (std::abs(x.high) < 0.0027) return expm1_small(x);
  if (!(x.high <= 80)) return exp(x);  // 1 is below its last digit, and of infinity it may not be taken
  if (std::abs(x.high) > 40) return exp(x) - 1.0;
  const Reduced r = reduce(x);
  return (scaled(r.power, r.exponent) - 1.0) + scaled(r.power * r.rest, r.exponent);
}

/// One step of Newton for e^y = x from a double's logarithm doubles its digits.
DoubleDouble log(const DoubleDouble& x) {
  if (!(x.high > 0)) return -std::numeric_limits<double>::infinity();
  if (x.high > 0.75 && x.high < 1.25) return log1p(x - 1.0);
  if (x.high < 0x1p-500) return log(scaled(x, 600)) - kLn2 * 600.0;  // so that no power below is subnormal
  if (x.high > 0x1p500) return log(scaled(x, -600)) + kLn2 * 600.0;
  const DoubleDouble y = log_of(x.high);
  return y + (x * exp(-y) - 1.0);
}

/// One step of Newton for e^y − 1 = x, from the logarithm of the double w = 1 + x and what w rounded off.
DoubleDouble log1p(const DoubleDouble& x) {
  if (std::abs(x.high) > 0.25) return log(x + 1.0);
  const double w = 1 + x.high;
  const DoubleDouble y = log_of(w) + (x.high - (w - 1)) / w, e = expm1(y);
  return y - (e - x) / (e + 1.0);
}

DoubleDouble pow(const DoubleDouble& x, const DoubleDouble& y) {
  if (!(x.high > 0)) return y.high == 0 ? 1 : 0;
  return exp(y * log(x));
}

DoubleDouble erfc(const DoubleDouble& x) {
  if (x.high < 0) return DoubleDouble(2) - erfc(-x);
  if (x.high > 27.5) return 0;
  const DoubleDouble square = x * x;
  if (x.high < 2.5) {
    // erf x = 2/√π e^(−x²) x Σ (2x²)^n / (1·3·…·(2n+1)): all terms are positive.
    DoubleDouble term = x, sum = x;
    for (int n = 1; n < 200 && term.high > sum.high * 1e-24; ++n) {
      term = term * square * 2.0 / static_cast<double>(2 * n + 1);
      sum += term;
    }
    return DoubleDouble(1) - kTwoOverRootPi * exp(-square) * sum;
  }
  // e^(−x²)/√π · 1/(x + ½/(x + 1/(x + (3/2)/(x + …)))): the fewer terms, the larger x. Every step makes an error smaller, so all but the
  // last of them need a double's digits only.
  constexpr int kLast = 14;
  double tail = x.high;
  for (int n = kLast + 8 + static_cast<int>(400 / square.high); n > kLast; --n) tail = x.high + 0.5 * n / tail;
  DoubleDouble fraction = tail;
  for (int n = kLast; n >= 1; --n) fraction = x + DoubleDouble(0.5 * n) / fraction;
  return kTwoOverRootPi * 0.5 * exp(-square) / fraction;
}

/// One step of Newton from the root of a double, which IEEE rounds.
DoubleDouble sqrt(const DoubleDouble& x) {
  if (!(x.high > 0)) return 0;
  const double root = std::sqrt(x.high);
  return DoubleDouble(root) + (x - DoubleDouble::product(root, root)) / (2 * root);
}

std::int64_t floor(const DoubleDouble& x) {
  const double whole = std::floor(x.high);
  const auto base = static_cast<std::int64_t>(whole);
  if (whole != x.high) return base;  // the low part is less than the distance to the next whole number
  return base + static_cast<std::int64_t>(std::floor(x.low));
}

}  // namespace dbandit
