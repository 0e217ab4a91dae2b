#pragma once

#include "kernel/lanes.hpp"

/// core/elementary in lanes: the same operations in the same order, hence the same bits as its scalars.
namespace dbandit::kernel {

/// ln(1 + x), x ≥ 0.
template <class Arch>
inline Doubles<Arch> log1p_of(const Doubles<Arch>& x) {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  const D w = D(1.0) + x;
  const W bits_of = xsimd::bitwise_cast<W>(w), bias(std::uint64_t{1024} << 52);
  const W above = (bits_of - W(0x3FE6A09E667F3BCDULL)) + bias;
  // An integer below 2^52 is the low bits of 2^52 and it.
  const D e = (xsimd::bitwise_cast<D>((above >> 52) | W(0x4330000000000000ULL)) - D(0x1p52)) - D(1024.0);
  const D m = xsimd::bitwise_cast<D>((bits_of - (above & W(0xFFF0000000000000ULL))) + bias);
  const auto is_near = e == D(0.0);
  const D f = xsimd::select(is_near, x, m - D(1.0)), lost = xsimd::select(is_near, D(0.0), (x - (w - D(1.0))) / w);
  const D half = D(0.5) * f * f, s = f / (D(2.0) + f), z = s * s;
  constexpr double kSeries[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
  D sum(kSeries[0]);
  for (int i = 1; i < 10; ++i) sum = sum * z + D(kSeries[i]);
  const D rest = s * (half + z * sum) + (e * D(0x1.a39ef35793c76p-33) + lost);
  return e * D(0x1.62e42feep-1) - ((half - rest) - f);
}

/// e^x and e^x − 1.
template <class Arch>
struct Exponentials {
  Doubles<Arch> value, less_one;
};
template <class Arch>
inline Exponentials<Arch> exponential(const Doubles<Arch>& x) {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  constexpr double kOverFactorial[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                       1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  const D bounded = xsimd::min(xsimd::max(x, D(-600.0)), D(600.0));
  const D k = xsimd::floor(bounded * D(1.44269504088896340736) + D(0.5));
  const D r = (bounded - k * D(0x1.62e42feep-1)) - k * D(0x1.a39ef35793c76p-33);
  D sum(kOverFactorial[0]);
  for (int i = 1; i < 12; ++i) sum = sum * r + D(kOverFactorial[i]);
  const D power = xsimd::bitwise_cast<D>(xsimd::bitwise_cast<W>((k + D(1023.0)) + D(0x1p52)) << 52);  // 2^k
  const D rest = power * (r + r * r * sum);
  return {power + rest, (power - D(1.0)) + rest};
}

}  // namespace dbandit::kernel
