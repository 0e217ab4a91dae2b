#pragma once

// Included only by the per-target files (target_*.cpp), and by baseline files with Arch = Baseline.
#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

/// The few operations that xsimd 8.1 lacks. Everything here is a template on the architecture: an inline function that is
/// not would be one symbol shared by files compiled for different CPUs.
namespace dbandit::kernel {

/// The instruction set of every file that is not one target's: what is computed with it is the same on every CPU.
using Baseline = xsimd::sse2;

template <class Arch>
using Doubles = xsimd::batch<double, Arch>;
template <class Arch>
using Words = xsimd::batch<std::uint64_t, Arch>;
template <class Arch>
using Mask = xsimd::batch_bool<double, Arch>;

template <int Count, class Arch>
inline Words<Arch> rotate_left(const Words<Arch>& x) {
#ifdef __AVX512F__
  if constexpr (Words<Arch>::size == 8) return Words<Arch>(_mm512_rol_epi64(x.data, Count));
#endif
  return (x << Count) | (x >> (64 - Count));
}

/// Bit i of the result is lane i.
template <class Arch>
inline unsigned bits(const Mask<Arch>& mask) {
  if constexpr (Doubles<Arch>::size == 2) {
    return static_cast<unsigned>(_mm_movemask_pd(mask.data));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    return static_cast<unsigned>(_mm256_movemask_pd(mask.data));
#endif
  } else {
    return static_cast<unsigned>(mask.data);
  }
}

/// Which of the 16-bit parts of x are at most the limit, unsigned: bit i of the result is part i, counted from the lowest.
template <class Arch>
inline std::uint64_t parts_at_most(const Words<Arch>& x, std::uint16_t limit) {
  if constexpr (Words<Arch>::size == 2) {
    // x <= limit iff the saturated difference x - limit is zero; packing leaves one bit per part.
    const __m128i over = _mm_subs_epu16(x.data, _mm_set1_epi16(static_cast<short>(limit)));
    const __m128i at_most = _mm_cmpeq_epi16(over, _mm_setzero_si128());
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(at_most, _mm_setzero_si128())));
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    const __m256i over = _mm256_subs_epu16(x.data, _mm256_set1_epi16(static_cast<short>(limit)));
    const __m256i at_most = _mm256_cmpeq_epi16(over, _mm256_setzero_si256());
    const __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(at_most), _mm256_extracti128_si256(at_most, 1));
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(packed)));
#endif
  } else {
#ifdef __AVX512BW__
    return _mm512_cmple_epu16_mask(x.data, _mm512_set1_epi16(static_cast<short>(limit)));
#else
    return 0;
#endif
  }
}

/// A vector of arm ids read from bytes, 16-bit words or doubles.
template <class Arch>
inline Doubles<Arch> load_arms(const double* from) {
  return Doubles<Arch>::load_aligned(from);
}
template <class Arch>
inline Doubles<Arch> load_arms(const std::uint8_t* from) {
  if constexpr (Doubles<Arch>::size == 2) {
    const __m128i bytes = _mm_cvtsi32_si128(from[0] | from[1] << 8);
    const __m128i words = _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
    return Doubles<Arch>(_mm_cvtepi32_pd(_mm_unpacklo_epi16(words, _mm_setzero_si128())));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    int four;
    __builtin_memcpy(&four, from, 4);
    return Doubles<Arch>(_mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four))));
#endif
#ifdef __AVX512F__
  } else {
    return Doubles<Arch>(_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)))));
#endif
  }
}

/// The reverse.
template <class Arch>
inline void store_arms(const Doubles<Arch>& arms, double* to) {
  arms.store_aligned(to);
}
template <class Arch>
inline void store_arms(const Doubles<Arch>& arms, std::uint8_t* to) {
  if constexpr (Doubles<Arch>::size == 2) {
    const __m128i words = _mm_packs_epi32(_mm_cvttpd_epi32(arms.data), _mm_setzero_si128());
    const auto both = static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
    __builtin_memcpy(to, &both, 2);
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    const __m128i words = _mm_packs_epi32(_mm256_cvttpd_epi32(arms.data), _mm_setzero_si128());
    const int four = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    __builtin_memcpy(to, &four, 4);
#endif
#ifdef __AVX512F__
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_cvtepi64_epi8(_mm512_cvttpd_epi64(arms.data)));
#endif
  }
}

/// A vector of tie keys as reals in the same order.
template <class Arch>
inline Doubles<Arch> load_keys(const std::uint32_t* from) {
  if constexpr (Doubles<Arch>::size == 2) {
    const __m128i keys = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return Doubles<Arch>(_mm_cvtepi32_pd(_mm_xor_si128(keys, _mm_set1_epi32(INT32_MIN))));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    const __m128i keys = _mm_load_si128(reinterpret_cast<const __m128i*>(from));
    return Doubles<Arch>(_mm256_cvtepi32_pd(_mm_xor_si128(keys, _mm_set1_epi32(INT32_MIN))));
#endif
#ifdef __AVX512F__
  } else {
    const __m256i keys = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    return Doubles<Arch>(_mm512_cvtepi32_pd(_mm256_xor_si256(keys, _mm256_set1_epi32(INT32_MIN))));
#endif
  }
}

/// weight in the lanes of the mask, 0 elsewhere.
template <class Arch>
inline Doubles<Arch> where(const Mask<Arch>& mask, const Doubles<Arch>& weight) {
  if constexpr (Doubles<Arch>::size == 2) {
    return Doubles<Arch>(_mm_and_pd(mask.data, weight.data));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    return Doubles<Arch>(_mm256_and_pd(mask.data, weight.data));
#endif
  } else {
    return xsimd::select(mask, weight, Doubles<Arch>(0.0));
  }
}

/// Whether denormal numbers are flushed while it lives: the deficit of an arm that is never pulled decays through them.
template <class Arch>
struct Denormals {
  unsigned saved = _mm_getcsr();
  explicit Denormals(bool flushed) { _mm_setcsr(flushed ? saved | 0x8040 : saved & ~0x8040u); }
  ~Denormals() { _mm_setcsr(saved); }
  Denormals(const Denormals&) = delete;
  Denormals& operator=(const Denormals&) = delete;
};

/// The CPU's time-stamp counter.
template <class Arch>
inline std::uint64_t time_stamp() {
  return __builtin_ia32_rdtsc();
}

}  // namespace dbandit::kernel
