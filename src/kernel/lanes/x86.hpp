#pragma once

#include "kernel/lanes/types.hpp"

/// The primitives of kernel/lanes.hpp on x86: 2, 4 or 8 doubles a vector.
namespace dbandit::kernel {

using Baseline = xsimd::sse2;

/// The 64-bit products of the low halves of every lane.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> multiply_low_halves(const Words<Arch>& x, const Words<Arch>& y) {
  if constexpr (Words<Arch>::size == 2) {
    return Words<Arch>(_mm_mul_epu32(x.data, y.data));
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    return Words<Arch>(_mm256_mul_epu32(x.data, y.data));
#endif
#ifdef __AVX512F__
  } else {
    return Words<Arch>(_mm512_mul_epu32(x.data, y.data));
#endif
  }
}

/// As many words of 16 bits as a vector has lanes, widened.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> load_shorts(const std::uint16_t* from) {
  if constexpr (Words<Arch>::size == 2) {
    int two;
    __builtin_memcpy(&two, from, sizeof two);
    return Words<Arch>(_mm_unpacklo_epi32(_mm_unpacklo_epi16(_mm_cvtsi32_si128(two), _mm_setzero_si128()), _mm_setzero_si128()));
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    return Words<Arch>(_mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#endif
#ifdef __AVX512F__
  } else {
    return Words<Arch>(_mm512_cvtepu16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
  }
}

/// Bit i of the result: x is at most y in lane i.
template <class Arch>
[[gnu::always_inline]] inline unsigned at_most(const Words<Arch>& x, const Words<Arch>& y) {
  if constexpr (Words<Arch>::size == 2) {
    const auto low = [](__m128i v) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(v)); };
    const auto high = [&](__m128i v) { return low(_mm_unpackhi_epi64(v, v)); };
    return unsigned{low(x.data) <= low(y.data)} | unsigned{high(x.data) <= high(y.data)} << 1;
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m256i above = _mm256_cmpgt_epi64(_mm256_xor_si256(x.data, sign), _mm256_xor_si256(y.data, sign));
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(above))) ^ 0xF;
#endif
#ifdef __AVX512F__
  } else {
    return _mm512_cmple_epu64_mask(x.data, y.data);
#endif
  }
}

/// The sum of the bytes of every word.
template <class Arch>
[[gnu::always_inline]] inline Words<Arch> sums_of_bytes(const Words<Arch>& x) {
  if constexpr (Words<Arch>::size == 2) {
    return Words<Arch>(_mm_sad_epu8(x.data, _mm_setzero_si128()));
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    return Words<Arch>(_mm256_sad_epu8(x.data, _mm256_setzero_si256()));
#endif
#ifdef __AVX512BW__
  } else {
    return Words<Arch>(_mm512_sad_epu8(x.data, _mm512_setzero_si512()));
#endif
  }
}

/// Which bytes are not 0: bit i of the result is byte i.
template <class Arch>
[[gnu::always_inline]] inline std::uint64_t nonzero_bytes(const Words<Arch>& x) {
  if constexpr (Words<Arch>::size == 2) {
    return ~static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x.data, _mm_setzero_si128()))) & 0xFFFF;
#ifdef __AVX2__
  } else if constexpr (Words<Arch>::size == 4) {
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x.data, _mm256_setzero_si256())));
#endif
#ifdef __AVX512BW__
  } else {
    return _mm512_test_epi8_mask(x.data, x.data);
#endif
  }
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

template <class Arch>
inline unsigned bits(const xsimd::batch_bool<float, Arch>& mask) {
  if constexpr (xsimd::batch<float, Arch>::size == 4) {
    return static_cast<unsigned>(_mm_movemask_ps(mask.data));
#ifdef __AVX2__
  } else if constexpr (xsimd::batch<float, Arch>::size == 8) {
    return static_cast<unsigned>(_mm256_movemask_ps(mask.data));
#endif
  } else {
    return static_cast<unsigned>(mask.data);
  }
}

/// a b + c, rounded once where the instruction set can: for what only a filter sees, whose decisions do not depend on the last bit.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<float, Arch> multiply_add(const xsimd::batch<float, Arch>& a, const xsimd::batch<float, Arch>& b,
                                                                     const xsimd::batch<float, Arch>& c) {
#ifdef __AVX512F__
  if constexpr (xsimd::batch<float, Arch>::size == 16) return xsimd::batch<float, Arch>(_mm512_fmadd_ps(a.data, b.data, c.data));
#endif
#ifdef __FMA__
  if constexpr (xsimd::batch<float, Arch>::size == 8) return xsimd::batch<float, Arch>(_mm256_fmadd_ps(a.data, b.data, c.data));
#endif
  return a * b + c;
}

/// Rounded to single precision.
template <class Arch>
inline void store_singles(const Doubles<Arch>& values, float* to) {
  if constexpr (Doubles<Arch>::size == 2) {
    _mm_storel_pi(reinterpret_cast<__m64*>(to), _mm_cvtpd_ps(values.data));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    _mm_store_ps(to, _mm256_cvtpd_ps(values.data));
#endif
#ifdef __AVX512F__
  } else {
    _mm256_store_ps(to, _mm512_cvtpd_ps(values.data));
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

/// a b + c, rounded once where the CPU can: for what decides nothing.
template <class Arch>
inline Doubles<Arch> fused(const Doubles<Arch>& a, const Doubles<Arch>& b, const Doubles<Arch>& c) {
#ifdef __FMA__
  if constexpr (Doubles<Arch>::size == 4) return Doubles<Arch>(_mm256_fmadd_pd(a.data, b.data, c.data));
#endif
#ifdef __AVX512F__
  if constexpr (Doubles<Arch>::size == 8) return Doubles<Arch>(_mm512_fmadd_pd(a.data, b.data, c.data));
#endif
  return a * b + c;
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

/// How the thread rounds and what it does with denormal numbers, without the exceptions that have happened.
template <class Arch>
inline unsigned floating_point_mode() {
  return _mm_getcsr() & ~0x3Fu;
}
inline constexpr unsigned kFlushDenormals = 0x8040;  ///< of results and of operands

/// Whether denormal numbers are flushed while it lives: the deficit of an arm that is never pulled decays through them.
template <class Arch>
struct Denormals {
  unsigned saved = _mm_getcsr();
  explicit Denormals(bool flushed) { _mm_setcsr(flushed ? saved | kFlushDenormals : saved & ~kFlushDenormals); }
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
