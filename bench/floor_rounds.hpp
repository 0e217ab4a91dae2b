#pragma once

#include "floor.hpp"
#include "kernel/policy/poisson.hpp"

/// Included only by what target.cpp.in becomes; like the kernels it holds nothing but templates on the architecture.
namespace dbandit::bench {

using kernel::Doubles;
using kernel::Mask;

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

/// One vector of lanes: indices, the largest, the update.
template <class Arch, bool klucb>
[[gnu::always_inline]] inline void floor_step(const FloorState& s, std::size_t lane, const Doubles<Arch>& x, const Doubles<Arch>& decay,
                                              const Doubles<Arch>& pulled) {
  using D = Doubles<Arch>;
  constexpr std::size_t kArms = FloorState::kArms;
  const std::size_t lanes = s.lanes;
  D above[kArms], below[kArms], pulls[kArms], deficit[kArms];
  for (std::size_t k = 0; k < kArms; ++k) {
    const std::size_t cell = k * lanes + lane;
    pulls[k] = D::load_aligned(s.pulls + cell);
    deficit[k] = D::load_aligned(s.deficit + cell);
    below[k] = kernel::fused<Arch>(decay, deficit[k], pulls[k]);  // decay is −ρ^j
    above[k] = kernel::fused<Arch>(D::load_aligned(s.gain + cell), x, D::load_aligned((klucb ? s.base : s.conversions) + cell));
    if constexpr (klucb) above[k] = xsimd::min(above[k], below[k]);
  }
  const auto second = above[1] * below[0] > above[0] * below[1];
  const D lead_above = xsimd::select(second, above[1], above[0]), lead_below = xsimd::select(second, below[1], below[0]);
  const auto third = above[2] * lead_below > lead_above * below[2];
  const Mask<Arch> played[kArms] = {!(second | third), second & !third, third};
  const auto of_played = [&](const D& a, const D& b, const D& c) { return xsimd::select(third, c, xsimd::select(second, b, a)); };
  of_played(D(0.0), D(1.0), D(2.0)).store_aligned(s.action + lane);
  for (std::size_t k = 0; k < kArms; ++k) {
    const std::size_t cell = k * lanes + lane;
    (pulls[k] + kernel::where<Arch>(played[k], D(1.0))).store_aligned(s.pulls + cell);
    (deficit[k] + kernel::where<Arch>(played[k], pulled)).store_aligned(s.deficit + cell);
  }
  if constexpr (!klucb) {
    const D radius = xsimd::sqrt(kernel::fused<Arch>(of_played(pulls[0], pulls[1], pulls[2]), D(0.5), D(0.5)));
    for (std::size_t k = 0; k < kArms; ++k) {
      const std::size_t cell = k * lanes + lane;
      xsimd::select(played[k], radius, D::load_aligned(s.gain + cell)).store_aligned(s.gain + cell);
    }
  }
}

/// The marks of the candidates that are listed.
template <class Arch>
[[gnu::noinline]] void floor_marks(const kernel::Draws& d, std::size_t count) {
  using W = kernel::Words<Arch>;
  constexpr std::size_t kAbreast = kernel::kCallsAbreast<Arch>;
  for (std::size_t at = 0; at < count; at += kAbreast * W::size) {
    W replica[kAbreast], round[kAbreast], mark[kAbreast], rest[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      replica[i] = W::load_aligned(d.replica + at + i * W::size), round[i] = W::load_aligned(d.round + at + i * W::size);
    }
    kernel::philox<Arch>(d.candidates.seed, rng::Stream::outcome, 0, replica, round, mark, rest);
    for (std::size_t i = 0; i < kAbreast; ++i) mark[i].store_aligned(d.mark + at + i * W::size);
  }
}

template <class Arch, bool klucb>
void floor_rounds(FloorState& given, std::int64_t first, std::int64_t last) {
  using D = Doubles<Arch>;
  FloorState s = given;  // a copy that no store below can change, so that it may stay in registers
  const std::size_t lanes = s.lanes, cells = FloorState::kArms * lanes;
  kernel::Books block;
  block.lanes = block.replicas = lanes;
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
    if (s.draws.must_be_drawn(round)) floor_marks<Arch>(s.draws, kernel::draw_batch<Arch>(s.draws, block, round));
    const D x(s.beta[round]), decay(-s.power[phase]), pulled(s.pull[phase]);
    for (std::size_t lane = 0; lane < lanes; lane += D::size) floor_step<Arch, klucb>(s, lane, x, decay, pulled);
    std::size_t changed = 0;
    for (std::size_t i = s.draws.begin_of(round), end = s.draws.end_of(round); i < end; ++i) {
      const std::size_t lane = s.draws.replica[i], arm = kernel::arm_of(s.action[lane]), cell = arm * lanes + lane;
      const bool converts = s.draws.mark[i] < s.draws.limit[arm];
      s.touched[changed] = s.conversions[cell] += converts;
      s.changed[changed] = static_cast<std::uint32_t>(cell);
      changed += converts;
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
