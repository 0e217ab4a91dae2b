#pragma once

#include "rng/draws.hpp"
#include "floor.hpp"
#include "kernel/policy/poisson.hpp"
#include "kernel/threefry.hpp"

/// Included only by target_*.cpp; like the kernels it holds nothing but templates on the architecture.
namespace dbandit::bench {

using kernel::Doubles;
using kernel::Mask;

/// a b + c, rounded once where the CPU can: the floor has no decision to defend.
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

/// The 16-bit uniforms of a vector of lanes, as reals.
template <class Arch>
inline Doubles<Arch> uniforms(const std::uint64_t* low, const std::uint64_t* high, std::size_t lane) {
  const auto* part = reinterpret_cast<const unsigned char*>(lane % 8 < 4 ? low + lane / 8 : high + lane / 8) + 2 * (lane % 4);
  if constexpr (Doubles<Arch>::size == 2) {
    int two;
    __builtin_memcpy(&two, part, 4);
    return Doubles<Arch>(_mm_cvtepi32_pd(_mm_unpacklo_epi16(_mm_cvtsi32_si128(two), _mm_setzero_si128())));
#ifdef __AVX2__
  } else if constexpr (Doubles<Arch>::size == 4) {
    return Doubles<Arch>(_mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(part)))));
#endif
#ifdef __AVX512F__
  } else {
    const __m128i eight = _mm_set_epi64x(static_cast<long long>(high[lane / 8]), static_cast<long long>(low[lane / 8]));
    return Doubles<Arch>(_mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(eight)));
#endif
  }
}

/// The tangent of h(S, ·) at β: slope x/(x−1), intercept S x − slope β.
template <class Arch>
inline void floor_tangents(const double* conversions, double beta, std::size_t count, double* base, double* gain) {
  using D = Doubles<Arch>;
  for (std::size_t i = 0; i < count; i += D::size) {
    const D seen = D::load_aligned(conversions + i);
    const auto none = seen == D(0.0);
    const D safe = xsimd::select(none, D(1.0), seen);
    const D y = kernel::excess_polynomial<Arch>(D(beta) / safe);
    const D slope = (D(1.0) + y) / y;
    xsimd::select(none, D(1.0), slope).store_aligned(gain + i);
    xsimd::select(none, D(0.0), (safe + safe * y) - slope * D(beta)).store_aligned(base + i);
  }
}

/// What up to 64 lanes did, a bit each.
template <class Arch>
struct Outcomes {
  std::uint64_t converted = 0, second = 0, third = 0;
};

/// One vector of lanes: indices, the largest, the update. Conversions of d-klucb, whose tangents must follow, are only told.
template <class Arch, bool klucb>
[[gnu::always_inline]] inline void floor_step(const FloorState& s, std::size_t lane, const Doubles<Arch>& x, const Doubles<Arch>& decay,
                                              const Doubles<Arch>& pulled, const Doubles<Arch>& uniform, unsigned bit,
                                              Outcomes<Arch>& outcomes) {
  using D = Doubles<Arch>;
  constexpr std::size_t kArms = FloorState::kArms;
  const std::size_t lanes = s.lanes;
  D above[kArms], below[kArms], pulls[kArms], deficit[kArms];
  for (std::size_t k = 0; k < kArms; ++k) {
    const std::size_t cell = k * lanes + lane;
    pulls[k] = D::load_aligned(s.pulls + cell);
    deficit[k] = D::load_aligned(s.deficit + cell);
    below[k] = fused<Arch>(decay, deficit[k], pulls[k]);  // decay is −ρ^j
    above[k] = fused<Arch>(D::load_aligned(s.gain + cell), x, D::load_aligned((klucb ? s.base : s.conversions) + cell));
    if constexpr (klucb) above[k] = xsimd::min(above[k], below[k]);
  }
  const auto second = above[1] * below[0] > above[0] * below[1];
  const D lead_above = xsimd::select(second, above[1], above[0]), lead_below = xsimd::select(second, below[1], below[0]);
  const auto third = above[2] * lead_below > lead_above * below[2];
  const Mask<Arch> played[kArms] = {!(second | third), second & !third, third};
  const auto of_played = [&](const D& a, const D& b, const D& c) { return xsimd::select(third, c, xsimd::select(second, b, a)); };
  for (std::size_t k = 0; k < kArms; ++k) {
    const std::size_t cell = k * lanes + lane;
    (pulls[k] + kernel::where<Arch>(played[k], D(1.0))).store_aligned(s.pulls + cell);
    (deficit[k] + kernel::where<Arch>(played[k], pulled)).store_aligned(s.deficit + cell);
  }
  const auto converts = uniform < of_played(D(s.limit[0]), D(s.limit[1]), D(s.limit[2]));
  if constexpr (klucb) {
    outcomes.converted |= std::uint64_t{kernel::bits<Arch>(converts)} << bit;
    outcomes.second |= std::uint64_t{kernel::bits<Arch>(second)} << bit;
    outcomes.third |= std::uint64_t{kernel::bits<Arch>(third)} << bit;
  } else {
    const D radius = xsimd::sqrt(fused<Arch>(of_played(pulls[0], pulls[1], pulls[2]), D(0.5), D(0.5)));
    for (std::size_t k = 0; k < kArms; ++k) {
      const std::size_t cell = k * lanes + lane;
      xsimd::select(played[k], radius, D::load_aligned(s.gain + cell)).store_aligned(s.gain + cell);
      (D::load_aligned(s.conversions + cell) + kernel::where<Arch>(converts & played[k], D(1.0))).store_aligned(s.conversions + cell);
    }
  }
}

template <class Arch, bool klucb>
void floor_rounds(FloorState& given, std::int64_t first, std::int64_t last) {
  using D = Doubles<Arch>;
  using W = kernel::Words<Arch>;
  FloorState s = given;  // a copy that no store below can change, so that it may stay in registers
  const std::size_t lanes = s.lanes, cells = FloorState::kArms * lanes, words = lanes / 8;
  constexpr std::size_t kAbreast = 8 / W::size < 2 ? 1 : 2;  // calls interleaved, as in the engine; at most 64 lanes together
  constexpr std::size_t kTogether = 8 * kAbreast * W::size;
  for (std::int64_t round = first; round <= last; ++round) {
    const auto phase = static_cast<std::size_t>((round - 1) % FloorState::kPeriod);
    if (phase == 0) {
      for (std::size_t cell = 0; cell < cells; cell += D::size) {
        (D::load_aligned(s.deficit + cell) * D(s.power[FloorState::kPeriod])).store_aligned(s.deficit + cell);
      }
    }
    if (klucb && round >= s.span_end) {
      s.span_end = round + round / 100 + 1;
      s.span_beta = s.beta[round];
      floor_tangents<Arch>(s.conversions, s.span_beta, cells, s.base, s.gain);
    }
    const D x(s.beta[round]), decay(-s.power[phase]), pulled(s.pull[phase]);
    std::size_t changed = 0;
    W counter = kernel::counting_from<Arch>(0);
    for (std::size_t word = 0; word < words; word += kAbreast * W::size) {
      W low[kAbreast], high[kAbreast];
      for (std::size_t i = 0; i < kAbreast; ++i) {
        low[i] = counter, high[i] = W(static_cast<std::uint64_t>(round));
        counter = counter + W(std::uint64_t{W::size});
      }
      kernel::threefry<Arch>(s.seed, static_cast<std::uint64_t>(rng::Stream::conversion), low, high);
      alignas(64) std::uint64_t leading[2][kAbreast * W::size];
      for (std::size_t i = 0; i < kAbreast; ++i) {
        low[i].store_aligned(leading[0] + i * W::size);
        high[i].store_aligned(leading[1] + i * W::size);
      }
      Outcomes<Arch> outcomes;
      for (std::size_t lane = 0; lane < kTogether; lane += D::size) {
        floor_step<Arch, klucb>(s, word * 8 + lane, x, decay, pulled, uniforms<Arch>(leading[0], leading[1], lane),
                                static_cast<unsigned>(lane), outcomes);
      }
      for (std::uint64_t left = outcomes.converted; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(left));
        const std::uint64_t arm = outcomes.third >> i & 1 ? 2 : outcomes.second >> i & 1;
        const std::size_t cell = arm * lanes + word * 8 + i;
        s.touched[changed] = s.conversions[cell] += 1;
        s.changed[changed++] = static_cast<std::uint32_t>(cell);
      }
    }
    if constexpr (klucb) {
      double* const base = s.touched + lanes;
      double* const gain = base + lanes;
      floor_tangents<Arch>(s.touched, s.span_beta, changed, base, gain);
      for (std::size_t i = 0; i < changed; ++i) {
        s.base[s.changed[i]] = base[i];
        s.gain[s.changed[i]] = gain[i];
      }
    }
  }
  given = s;
}

}  // namespace dbandit::bench
