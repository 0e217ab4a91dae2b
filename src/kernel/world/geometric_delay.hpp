#pragma once

#include "kernel/lanes.hpp"

namespace dbandit::kernel {

/// rng::open_uniform of the upper 52 bits: 1 + u 2^-52 has the bits of u as its mantissa; the subtraction and the half step are exact.
template <class Arch>
[[gnu::always_inline]] inline Doubles<Arch> open_uniform(const Words<Arch>& word) {
  using D = Doubles<Arch>;
  return (xsimd::bitwise_cast<D>((word >> 12) | Words<Arch>(0x3FF0000000000000ULL)) - D(1.0)) + D(0x1p-53);
}

/// Geometric delays ⌊ln v / ln ρ⌋ at v = rng::open_uniform of the upper 52 bits of a word, and where the logarithm is not good enough to be
/// sure of the floor: there the law decides, so no target's last bit matters.
/// ln v = k ln 2 + x P(x), v = 2^k (1 + x), 1 + x within [√½, √2): the polynomial of degree 10 with the least largest error, 1.4e-10; a
/// division would take as long as all of it.
template <class Arch>
struct GeometricDelay {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  static constexpr double kError = 2e-10;

  explicit GeometricDelay(double by) : inverse_log(by), sure(by == 0 ? 1 : 0.5 - (1e-9 - by * kError)) {}  // a mean of 0: never in doubt

  /// The delay as a real, and the lanes in doubt.
  [[gnu::always_inline]] D operator()(const W& word, Mask<Arch>& doubtful) const {
    const D v = open_uniform<Arch>(word);
    constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDULL, kBias = std::uint64_t{64} << 52;
    const W bits = xsimd::bitwise_cast<W>(v), k = (bits - W(kRootHalf - kBias)) >> 52;  // 64 more than k, so that it is positive
    const D x = xsimd::bitwise_cast<D>(bits - ((k << 52) - W(kBias))) - D(1.0), xx = x * x, x4 = xx * xx;
    const D exponent = xsimd::bitwise_cast<D>(k | W(0x4330000000000000ULL)) - D(0x1p52 + 64);
    const auto pair = [&](double constant, double linear) { return fused<Arch>(x, D(linear), D(constant)); };
    const D low = fused<Arch>(xx, pair(0.33333244521738065, -0.24999929938474247), pair(1.0000000046609707, -0.5000000012284942));
    const D high = fused<Arch>(xx, pair(0.14183313455767177, -0.12314008414993335), pair(0.20004744793539186, -0.16672848953648828));
    const D top = fused<Arch>(xx, D(0.07109841236102475), pair(0.12023258640423193, -0.12211076812710178));
    const D polynomial = fused<Arch>(x4 * x4, top, fused<Arch>(x4, high, low));
    const D real = fused<Arch>(x, polynomial, exponent * D(0.6931471805599453)) * D(inverse_log), whole = xsimd::trunc(real);
    doubtful = xsimd::abs(real - whole - D(0.5)) > fused<Arch>(real, D(-1e-14), D(sure));
    return whole;
  }

  double inverse_log, sure;
};

}  // namespace dbandit::kernel
