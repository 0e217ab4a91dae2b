#include "core/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dbandit {

namespace {

/// x = 2^e m with m within [√½, √2).
struct Split {
  double e, m;
};
Split split(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x), bias = std::uint64_t{1024} << 52;
  const std::uint64_t above = (bits - 0x3FE6A09E667F3BCDULL) + bias;  // the exponent, counted from √½ and kept positive
  return {static_cast<double>(above >> 52) - 1024, std::bit_cast<double>((bits - (above & 0xFFF0000000000000ULL)) + bias)};
}

/// 2 + 2/3 z + 2/5 z² + … + 2/21 z^10, or its 10 terms after the first over z.
template <int terms>
double artanh_series(double z) {
  constexpr double kSeries[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0};
  double sum = kSeries[0];
  for (int i = 1; i < terms; ++i) sum = sum * z + kSeries[i];
  return sum;
}

/// x = k ln 2 + r: the product with the leading bits of ln 2 is exact, so r keeps its digits.
struct Reduced {
  double k, r;
};
Reduced reduced(double x) {
  const double bounded = std::clamp(x, -600.0, 600.0);
  const double k = std::floor(bounded * 1.44269504088896340736 + 0.5);
  return {k, (bounded - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33};
}

}  // namespace

/// ln m = 2 artanh((m−1)/(m+1)) by its series, |s| < 0.1716, as far as a double can tell.
double log_of(double x) {
  const auto [e, m] = split(x);
  const double s = (m - 1) / (m + 1);
  return e * 0.69314718055994530942 + s * artanh_series<11>(s * s);
}

/// With f = m − 1, which is exact, ln(1 + f) = f − (f²/2 − s (f²/2 + R)), R the series without its first term: what is rounded is a small
/// part of f (Ng, fdlibm). w = 1 + x rounds off x − (w − 1), and the product with the leading bits of ln 2 is exact.
double log1p_of(double x) {
  const double w = 1 + x;
  const auto [e, m] = split(w);
  const double f = e == 0 ? x : m - 1, lost = e == 0 ? 0 : (x - (w - 1)) / w;
  const double half = 0.5 * f * f, s = f / (2 + f), z = s * s;
  const double rest = s * (half + z * artanh_series<10>(z)) + (e * 0x1.a39ef35793c76p-33 + lost);
  return e * 0x1.62e42feep-1 - ((half - rest) - f);
}

double exp_of(double x) {
  const auto [k, r] = reduced(x);
  double sum = 1;
  for (int i = 13; i > 0; --i) sum = 1 + r / i * sum;
  return std::ldexp(sum, static_cast<int>(k));
}

Exponential exponential(double x) {
  constexpr double kOverFactorial[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                       1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  const auto [k, r] = reduced(x);
  double sum = 0;
  for (const double coefficient : kOverFactorial) sum = sum * r + coefficient;
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);  // 2^k
  const double rest = power * (r + r * r * sum);
  return {power + rest, (power - 1) + rest};
}

}  // namespace dbandit
