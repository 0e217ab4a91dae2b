#include "core/double_double.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace dbandit {

namespace {

constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble kTwoOverRootPi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};

/// x 2^n for a normal result or 0.
DoubleDouble scaled(const DoubleDouble& x, int n) { return {std::ldexp(x.high, n), std::ldexp(x.low, n)}; }

/// e^r − 1 for |r| ≤ ln 2 / 2: the series of r/512, then nine times (1+y)² − 1 = y (2 + y).
DoubleDouble expm1_reduced(const DoubleDouble& r) {
  const DoubleDouble s = scaled(r, -9);
  DoubleDouble sum = 0;
  for (int i = 10; i >= 2; --i) sum = (sum + 1.0) * s / static_cast<double>(i);
  DoubleDouble y = s + s * sum;
  for (int i = 0; i < 9; ++i) y = y * (y + 2.0);
  return y;
}

/// ln x of a positive normal double, a few units of the last place off: x = 2^e m, m within [√½, √2), by the series of artanh.
double approximate_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t above = (bits - 0x3FE6A09E667F3BCDULL) + (std::uint64_t{1024} << 52);
  const double m = std::bit_cast<double>(bits - (above & 0xFFF0000000000000ULL) + (std::uint64_t{1024} << 52));
  const double e = static_cast<double>(above >> 52) - 1024;
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int i = 21; i >= 1; i -= 2) sum = sum * z + 2.0 / i;
  return e * 0x1.62e42fefa39efp-1 + s * sum;
}

}  // namespace

DoubleDouble exp(const DoubleDouble& x) {
  if (x.high < -745) return 0;
  const double k = std::floor(x.high * 0x1.71547652b82fep+0 + 0.5);
  return scaled(expm1_reduced(x - kLn2 * k) + 1.0, static_cast<int>(k));
}

DoubleDouble expm1(const DoubleDouble& x) {
  if (std::abs(x.high) < 0.34) return expm1_reduced(x);
  return exp(x) - 1.0;
}

/// One step of Newton for e^y = x from a double's logarithm doubles its digits.
DoubleDouble log(const DoubleDouble& x) {
  if (!(x.high > 0)) return -std::numeric_limits<double>::infinity();
  if (x.high < 0x1p-1000) return log(scaled(x, 200)) - kLn2 * 200.0;  // subnormal numbers have no exponent to read
  const DoubleDouble y = approximate_log(x.high);
  if (std::abs(y.high) < 600) return y + (x * exp(-y) - 1.0);
  const double k = std::floor(y.high * 0x1.71547652b82fep+0);
  return log(scaled(x, -static_cast<int>(k))) + kLn2 * k;
}

/// ln(1 + x) = ln w + ln((1 + x)/w) for any w near 1 + x; w is its double, and the second term is small.
DoubleDouble log1p(const DoubleDouble& x) {
  if (std::abs(x.high) > 0.25) return log(x + 1.0);
  // Newton for expm1(y) = x from the series' first digits: y = x − (expm1(y) − x)/(1 + expm1(y)), twice.
  DoubleDouble y = x.high * (1 - x.high * (0.5 - x.high * (1.0 / 3 - x.high * 0.25)));
  for (int i = 0; i < 4; ++i) {
    const DoubleDouble e = expm1(y);
    y = y - (e - x) / (e + 1.0);
  }
  return y;
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
    for (int n = 1; n < 200 && term.high > sum.high * 1e-33; ++n) {
      term = term * square * 2.0 / static_cast<double>(2 * n + 1);
      sum += term;
    }
    return DoubleDouble(1) - kTwoOverRootPi * exp(-square) * sum;
  }
  // e^(−x²)/√π · 1/(x + ½/(x + 1/(x + (3/2)/(x + …)))): the fewer terms, the larger x.
  const int terms = 20 + static_cast<int>(1200 / square.high);
  DoubleDouble fraction = x;
  for (int n = terms; n >= 1; --n) fraction = x + DoubleDouble(0.5 * n) / fraction;
  return kTwoOverRootPi * 0.5 * exp(-square) / fraction;
}

std::int64_t floor(const DoubleDouble& x) {
  const double whole = std::floor(x.high);
  const auto base = static_cast<std::int64_t>(whole);
  if (whole != x.high) return base;  // the low part is less than the distance to the next whole number
  return base + static_cast<std::int64_t>(std::floor(x.low));
}

}  // namespace dbandit
