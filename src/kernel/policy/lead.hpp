#pragma once

#include "kernel/policy/largest.hpp"

/// For how many rounds the arm ahead stays ahead, whatever the delay law. Let a lead at round t. As long as a alone is pulled and no
/// conversion of another arm j is disclosed (Discarding: matures),
///   - Ñ_j does not fall, and S_j and N_j stay: the index of j at t + s is at most (num_j + num_j′ (1+ε) s/t) / Ñ_j, since numerators are
///     concave in β and ln(t + s) ≤ ln t + s/t (where M_j grows, the index falls, its radius included);
///   - Ñ_a grows by at most Σ_d P(D = d) ≤ 1 a round, as at most one pull has each age, and its numerator does not fall: the index of a
///     is at least num_a / (Ñ_a + s), with min(num_a, Ñ_a) for a clamped one.
/// So a is played until the s at which num_a Ñ_j = (num_j + c s)(Ñ_a + s), c = num_j′ (1+ε)/t. With gap = num_a Ñ_j − num_j Ñ_a and
/// B = num_j + c Ñ_a that root is 2 gap/(B + √(B² + 4 c gap)) ≥ gap B/(B² + c gap), which is what is used: no root, one division.
namespace dbandit::kernel {

/// Nothing is certain for longer than a round.
struct NoLead {
  static constexpr bool kept = false;
};

/// Of the indices of a round; `slope(cell)` is num′ with respect to β, at least.
template <class Arch, class Slope>
struct Lead {
  static constexpr bool kept = true;
  std::int64_t* until;  ///< [vector] last round that is certain
  std::int64_t round;
  double growth;  ///< (1+ε)/t
  double margin;  ///< relative error that a numerator may have, and the width of a tie
  Slope slope;

  [[gnu::always_inline]] bool holds(std::size_t vector) const { return until[vector] >= round; }
  /// With the arm ahead of every lane of a vector, none of them undecided.
  template <class Numerator, class Under>
  [[gnu::always_inline]] void extend(std::size_t lane, std::size_t lanes, std::size_t cells, const Doubles<Arch>& choice,
                                     const Doubles<Arch>& above_best, const Doubles<Arch>& below_best, const Numerator& numerator,
                                     const Under& denominator) const {
    using D = Doubles<Arch>;
    const D least = above_best * D(1 - margin);
    D rounds(1e6), arm(0.0);
    for (std::size_t cell = lane; cell < cells; cell += lanes) {
      const D above = numerator(cell) * D(1 + margin), c = slope(cell) * D(growth);
      const D gap = least * denominator(cell) - above * below_best, b = above + c * below_best;
      // Two rounds at least, or the division is not worth it: nothing is certain.
      const auto other = choice != arm;
      if (bits<Arch>(other & (gap < b + b)) != 0) return;
      rounds = xsimd::select(other, xsimd::min(rounds, gap * b / (b * b + c * gap)), rounds);
      arm = arm + D(1.0);
    }
    alignas(64) double each[D::size];
    rounds.store_aligned(each);
    double fewest = each[0];
    for (std::size_t i = 1; i < D::size; ++i) fewest = each[i] < fewest ? each[i] : fewest;
    until[lane / D::size] = round + static_cast<std::int64_t>(fewest * (1 - 1e-9));
  }
};

}  // namespace dbandit::kernel
