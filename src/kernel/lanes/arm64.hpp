#pragma once

#include "kernel/lanes/types.hpp"

// xsimd 8.1 fuses a b + c on neon64, divides and takes roots of floats approximately, and hands a NaN on where x86 gives the second
// operand: each is said again as x86 does it, so that logarithms, exponentials and all that is built of them have the same bits.
namespace xsimd::kernel {

template <>
inline batch<double, neon64> fma(batch<double, neon64> const& x, batch<double, neon64> const& y, batch<double, neon64> const& z,
                                 requires_arch<neon64>) noexcept {
  return x * y + z;
}
template <>
inline batch<double, neon64> fms(batch<double, neon64> const& x, batch<double, neon64> const& y, batch<double, neon64> const& z,
                                 requires_arch<neon64>) noexcept {
  return x * y - z;
}
template <>
inline batch<float, neon64> fma(batch<float, neon64> const& x, batch<float, neon64> const& y, batch<float, neon64> const& z,
                                requires_arch<neon>) noexcept {
  return x * y + z;
}
template <>
inline batch<float, neon64> fms(batch<float, neon64> const& x, batch<float, neon64> const& y, batch<float, neon64> const& z,
                                requires_arch<neon>) noexcept {
  return x * y - z;
}
template <>
inline batch<float, neon64> div(batch<float, neon64> const& x, batch<float, neon64> const& y, requires_arch<neon>) noexcept {
  return vdivq_f32(x, y);
}
template <>
inline batch<float, neon64> sqrt(batch<float, neon64> const& x, requires_arch<neon>) noexcept {
  return vsqrtq_f32(x);
}
template <>
inline batch<double, neon64> min(batch<double, neon64> const& x, batch<double, neon64> const& y, requires_arch<neon64>) noexcept {
  return vbslq_f64(vcltq_f64(x, y), x, y);
}
template <>
inline batch<double, neon64> max(batch<double, neon64> const& x, batch<double, neon64> const& y, requires_arch<neon64>) noexcept {
  return vbslq_f64(vcgtq_f64(x, y), x, y);
}

}  // namespace xsimd::kernel

/// The primitives of kernel/lanes.hpp on 64-bit Arm: 2 doubles a vector.
namespace dbandit::kernel {

using Baseline = xsimd::neon64;

/// The 64-bit products of the low halves of every lane.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> multiply_low_halves(const Words<Arch>& x, const Words<Arch>& y) {
  return Words<Arch>(vmull_u32(vmovn_u64(x.data), vmovn_u64(y.data)));
}

/// Two words of 16 bits, widened.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> load_shorts(const std::uint16_t* from) {
  const uint64x2_t two = {from[0], from[1]};
  return Words<Arch>(two);
}

/// Bit i of the result: x is at most y in lane i.
template <class Arch>
[[gnu::always_inline]] inline unsigned at_most(const Words<Arch>& x, const Words<Arch>& y) {
  const uint64x2_t found = vcleq_u64(x.data, y.data);
  return static_cast<unsigned>((vgetq_lane_u64(found, 0) & 1) | (vgetq_lane_u64(found, 1) & 2));
}

/// The sum of the bytes of every word.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> sums_of_bytes(const Words<Arch>& x) {
  return Words<Arch>(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vreinterpretq_u8_u64(x.data)))));
}

/// Which bytes are not 0: bit i of the result is byte i.
template <class Arch>
[[gnu::always_inline]] inline std::uint64_t nonzero_bytes(const Words<Arch>& x) {
  const uint8x16_t bytes = vreinterpretq_u8_u64(x.data), weight = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t found = vandq_u8(vtstq_u8(bytes, bytes), weight);
  return static_cast<unsigned>(vaddv_u8(vget_low_u8(found))) | static_cast<unsigned>(vaddv_u8(vget_high_u8(found))) << 8;
}

/// Bit i of the result is lane i.
template <class Arch>
inline unsigned bits(const Mask<Arch>& mask) {
  return static_cast<unsigned>((vgetq_lane_u64(mask.data, 0) & 1) | (vgetq_lane_u64(mask.data, 1) & 2));
}
template <class Arch>
inline unsigned bits(const xsimd::batch_bool<float, Arch>& mask) {
  constexpr std::uint32_t kWeight[] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(mask.data, vld1q_u32(kWeight)));
}

/// a b + c, rounded once: for what only a filter sees, whose decisions do not depend on the last bit.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<float, Arch> multiply_add(const xsimd::batch<float, Arch>& a, const xsimd::batch<float, Arch>& b,
                                                                     const xsimd::batch<float, Arch>& c) {
  return xsimd::batch<float, Arch>(vfmaq_f32(c.data, a.data, b.data));
}

/// Rounded to single precision.
template <class Arch>
inline void store_singles(const Doubles<Arch>& values, float* to) {
  vst1_f32(to, vcvt_f32_f64(values.data));
}

/// A vector of arm ids read from bytes or doubles.
template <class Arch>
inline Doubles<Arch> load_arms(const double* from) {
  return Doubles<Arch>::load_aligned(from);
}
template <class Arch>
inline Doubles<Arch> load_arms(const std::uint8_t* from) {
  const float64x2_t arms = {static_cast<double>(from[0]), static_cast<double>(from[1])};
  return Doubles<Arch>(arms);
}

/// The reverse.
template <class Arch>
inline void store_arms(const Doubles<Arch>& arms, double* to) {
  arms.store_aligned(to);
}
template <class Arch>
inline void store_arms(const Doubles<Arch>& arms, std::uint8_t* to) {
  to[0] = static_cast<std::uint8_t>(arms.get(0)), to[1] = static_cast<std::uint8_t>(arms.get(1));
}

/// A vector of tie keys as reals in the same order.
template <class Arch>
inline Doubles<Arch> load_keys(const std::uint32_t* from) {
  return Doubles<Arch>(vcvtq_f64_u64(vmovl_u32(vld1_u32(from))));
}

/// a b + c, rounded once: for what decides nothing.
template <class Arch>
inline Doubles<Arch> fused(const Doubles<Arch>& a, const Doubles<Arch>& b, const Doubles<Arch>& c) {
  return Doubles<Arch>(vfmaq_f64(c.data, a.data, b.data));
}

/// weight in the lanes of the mask, 0 elsewhere.
template <class Arch>
inline Doubles<Arch> where(const Mask<Arch>& mask, const Doubles<Arch>& weight) {
  return Doubles<Arch>(vreinterpretq_f64_u64(vandq_u64(mask.data, vreinterpretq_u64_f64(weight.data))));
}

/// How the thread rounds and what it does with denormal numbers: FPCR. The exceptions that have happened are in another register.
template <class Arch>
inline std::uint64_t floating_point_mode() {
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline constexpr std::uint64_t kFlushDenormals = 1 << 24;  ///< FZ: of results and of operands

/// Whether denormal numbers are flushed while it lives: the deficit of an arm that is never pulled decays through them. x86 looks at a
/// result after rounding and Arm before, which differ for one number in 2^53 at 2^−1022; what is left of a deficit there counts in no Ñ.
template <class Arch>
struct Denormals {
  std::uint64_t saved = floating_point_mode<Arch>();
  explicit Denormals(bool flushed) { set(flushed ? saved | kFlushDenormals : saved & ~kFlushDenormals); }
  ~Denormals() { set(saved); }
  Denormals(const Denormals&) = delete;
  Denormals& operator=(const Denormals&) = delete;

 private:
  // The clobber keeps loads and stores on their side of the change.
  static void set(std::uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }
};

/// The generic timer's count: coarser than cycles, the same on every core.
template <class Arch>
inline std::uint64_t time_stamp() {
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
}

}  // namespace dbandit::kernel
