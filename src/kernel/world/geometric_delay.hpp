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
/// ln v = k ln 2 + 2 atanh s with s = (m − 1)/(m + 1), v = 2^k m, m within [√½, √2): by six terms of atanh s/s in s² within 2e-11.
template <class Arch>
struct GeometricDelay {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  static constexpr double kError = 1e-10;

  explicit GeometricDelay(double by) : inverse_log(by), doubt(by == 0 ? -1 : 1e-9 - by * kError) {}  // a mean of 0: never in doubt

  /// The delay as a real, and the lanes in doubt.
  [[gnu::always_inline]] D operator()(const W& word, Mask<Arch>& doubtful) const {
    const D v = open_uniform<Arch>(word);
    constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDULL, kBias = std::uint64_t{64} << 52;
    const W bits = xsimd::bitwise_cast<W>(v), k = (bits - W(kRootHalf - kBias)) >> 52;  // 64 more than k, so that it is positive
    const D m = xsimd::bitwise_cast<D>(bits - ((k << 52) - W(kBias)));
    const D exponent = xsimd::bitwise_cast<D>(k | W(0x4330000000000000ULL)) - D(0x1p52 + 64);
    const D s = (m - D(1.0)) / (m + D(1.0)), z = s * s, zz = z * z;
    const D high = D(2.0 / 7) + z * D(2.0 / 9) + zz * D(2.0 / 11), low = D(2.0) + z * D(2.0 / 3) + zz * D(2.0 / 5);
    const D real = (exponent * D(0.6931471805599453) + s * (low + (zz * z) * high)) * D(inverse_log), whole = xsimd::trunc(real);
    const D fraction = real - whole, unsure = D(doubt) + real * D(1e-14);
    doubtful = (fraction < unsure) | (fraction > D(1.0) - unsure);
    return whole;
  }

  double inverse_log, doubt;
};

}  // namespace dbandit::kernel
