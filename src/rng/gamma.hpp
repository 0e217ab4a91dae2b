#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "rng/draws.hpp"

/// Gamma variates of scale 1 by the method of Marsaglia and Tsang (2000), as a pure function of an address: the number of the attempt is
/// part of it, so a rejection needs no state. Only +, −, ×, ÷, √ and operations on the bits of a number are used, each rounded as IEEE
/// says, so every machine and every vector of it gives the same bytes. The steps that are the same for one number and for a
/// vector of them are templates on `Math`, which says what a real and a word are.
namespace dbandit::rng {

/// Key {seed, policy | arm << 8}, counter {replica + attempt · 2^48, round}. Word 0 makes the normal's radius; of word 1 the
/// upper half makes its angle and the lower half decides whether the attempt is taken.
inline constexpr std::uint64_t kAttempt = std::uint64_t{1} << 48;
/// Where a shape below 1 finds its extra uniform: a number that no attempt reaches.
inline constexpr std::uint64_t kBoost = 0xFFFF;

/// One real at a time.
struct ScalarMath {
  using Real = double;
  using Word = std::uint64_t;
  static Real real(Word bits) { return std::bit_cast<double>(bits); }
  static Word bits(Real value) { return std::bit_cast<std::uint64_t>(value); }
  static Real sqrt(Real value) { return std::sqrt(value); }
};

/// ln x of a positive normal number: x = 2^e m with m within [√½, √2), and ln m = 2 artanh((m−1)/(m+1)) by its series, |s| < 0.1716, as
/// far as a double can tell.
template <class Math>
[[gnu::always_inline]] inline typename Math::Real log_of(const typename Math::Real& x) {
  using Real = typename Math::Real;
  using Word = typename Math::Word;
  const Word exponent_mask(0xFFF0000000000000ULL), bias(std::uint64_t{1024} << 52);
  const Word bits = Math::bits(x);
  const Word above = (bits - Word(0x3FE6A09E667F3BCDULL)) + bias;  // the exponent, counted from √½ and kept positive
  const Real m = Math::real((bits - (above & exponent_mask)) + bias);
  const Real e = Math::real((above >> 52) | Word(0x4330000000000000ULL)) - Real(0x1p52 + 1024);
  const Real s = (m - Real(1.0)) / (m + Real(1.0)), z = s * s;
  constexpr double kSeries[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0};
  Real sum(kSeries[0]);
  for (int i = 1; i < 11; ++i) sum = sum * z + Real(kSeries[i]);
  return e * Real(0.69314718055994530942) + s * sum;
}

/// sin(πz) for |z| ≤ ½, by its series.
template <class Math>
[[gnu::always_inline]] inline typename Math::Real sine_of_turn(const typename Math::Real& z) {
  using Real = typename Math::Real;
  constexpr double kPi = 3.14159265358979323846;
  const Real y = z * Real(kPi), square = y * y;
  Real sum(1.0);
  // 1 − y²/(2·3) (1 − y²/(4·5) (…)): the innermost factor is that of y^20.
  constexpr double kSteps[] = {1.0 / (20 * 21), 1.0 / (18 * 19), 1.0 / (16 * 17), 1.0 / (14 * 15), 1.0 / (12 * 13),
                               1.0 / (10 * 11), 1.0 / (8 * 9),   1.0 / (6 * 7),   1.0 / (4 * 5),   1.0 / (2 * 3)};
  for (const double step : kSteps) sum = Real(1.0) - square * Real(step) * sum;
  return y * sum;
}

/// What the words of an address say.
template <class Math>
struct GammaDraw {
  typename Math::Real normal;
  typename Math::Real uniform;
};

template <class Math>
[[gnu::always_inline]] inline GammaDraw<Math> gamma_draw(const typename Math::Word& word0, const typename Math::Word& word1) {
  using Real = typename Math::Real;
  using Word = typename Math::Word;
  const Word one(0x3FF0000000000000ULL);
  // 1 + u 2^-52 has the bits of u as its mantissa; what follows is exact.
  const Real radius = (Math::real((word0 >> 12) | one) - Real(1.0)) + Real(0x1p-53);
  const Real angle = Math::real(((word1 >> 32) << 20) | one) - Real(1.0);
  const Real uniform = (Math::real(((word1 << 32) >> 12) | one) - Real(1.0)) + Real(0x1p-33);
  // Box and Muller: over half a turn the cosine has the law that it has over a whole one; cos(πφ) = sin(π(½ − φ)).
  return {Math::sqrt(Real(-2.0) * log_of<Math>(radius)) * sine_of_turn<Math>(Real(0.5 - 0x1p-33) - angle), uniform};
}

/// An attempt for a shape of at least 1: d v³ with d = shape − 1/3 and v = 1 + x/√(9d), x normal.
template <class Math>
struct GammaAttempt {
  typename Math::Real cube;   ///< v³
  typename Math::Real value;  ///< d v³
  typename Math::Real root;   ///< v; the attempt fails when it is not positive
  typename Math::Real sure;   ///< a uniform below this is accepted without a logarithm: 1 − 0.0331 x⁴
};

template <class Math>
[[gnu::always_inline]] inline GammaAttempt<Math> gamma_attempt(const typename Math::Real& shape, const typename Math::Real& normal) {
  using Real = typename Math::Real;
  const Real d = shape - Real(1.0 / 3.0), v = Real(1.0) + normal / Math::sqrt(d * Real(9.0)), square = normal * normal;
  const Real cube = v * v * v;
  return {cube, d * cube, v, Real(1.0) - Real(0.0331) * (square * square)};
}

/// The Gamma(shape, 1) variate at an address; shape > 0.
double gamma_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double shape);

/// e^x for x ≤ 0; not below e^-600, so that no result is subnormal.
double exp_of_negative(double x);

}  // namespace dbandit::rng
