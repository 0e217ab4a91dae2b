#pragma once

#include "kernel/lanes.hpp"
#include "kernel/state.hpp"

/// The books: pulls N, matured pulls M and the exposure Ñ after the round's arm is known (§2, §7).
namespace dbandit::kernel {

/// Which count the UCB radius grows with; none for KL indices.
enum class RadiusOf { nothing, pulls, matured };

/// The round's bookkeeping. What changes is one arm per lane, and in the censored setting the arm that leaves the window.
/// `decaying`: the deficit of the recursion is kept; ArmId: how the ring stores an arm.
template <class Arch, bool decaying, RadiusOf radius_of, class ArmId>
struct Books {
  using D = Doubles<Arch>;

  // Copies of the state's pointers: a store through a byte pointer may alias anything, the state included.
  explicit Books(State& s, std::int64_t round)
      : lanes(s.lanes),
        arms(s.arms),
        pulls(s.pulls),
        matured(s.matured),
        deficit(s.deficit),
        gain(s.gain),
        action(s.action),
        scale(s.radius_scale),
        pulled(decaying ? s.decay.pull[s.decay.phase] : 0),
        left(decaying ? s.decay.leave[s.decay.phase] : 0),
        slot(s.ring_length == 0 ? nullptr : static_cast<ArmId*>(s.ring) + static_cast<std::size_t>(round % s.ring_length) * s.lanes),
        leaving(s.ring_length != 0 && round > s.ring_length) {}

  /// Row by row, every arm of every lane under a mask: no scattered access; cheapest while K is small.
  void by_rows() const {
    for (std::size_t lane = 0; lane < lanes; lane += D::size) {
      const D chosen = D::load_aligned(action + lane);
      const D gone = leaving ? load_arms<Arch>(slot + lane) : D(-1.0);
      if (slot != nullptr) store_arms<Arch>(chosen, slot + lane);
      D count(0.0);
      for (std::size_t arm = 0; arm < arms; ++arm) {
        const std::size_t cell = arm * lanes + lane;
        const D id(static_cast<double>(arm));
        const auto is_chosen = chosen == id;
        const D n = D::load_aligned(pulls + cell) + where<Arch>(is_chosen, D(1.0));
        n.store_aligned(pulls + cell);
        D w = decaying ? D::load_aligned(deficit + cell) + where<Arch>(is_chosen, D(pulled)) : D(0.0);
        if constexpr (radius_of == RadiusOf::pulls) count = count + where<Arch>(is_chosen, n);
        if (leaving) {
          const auto is_gone = gone == id;
          const D m = D::load_aligned(matured + cell) + where<Arch>(is_gone, D(1.0));
          m.store_aligned(matured + cell);
          w = w - where<Arch>(is_gone, D(left));
          if constexpr (radius_of == RadiusOf::matured) count = count + where<Arch>(is_gone, m);
        }
        if constexpr (decaying) w.store_aligned(deficit + cell);
      }
      if constexpr (radius_of != RadiusOf::nothing) {  // one root per lane, not one per arm
        const D radius = xsimd::sqrt(count * D(scale));
        const D grown = radius_of == RadiusOf::pulls ? chosen : gone;
        for (std::size_t arm = 0; arm < arms; ++arm) {
          double* const cell = gain + arm * lanes + lane;
          xsimd::select(grown == D(static_cast<double>(arm)), radius, D::load_aligned(cell)).store_aligned(cell);
        }
      }
    }
  }

  /// Cell by cell: two scattered cells per lane whatever K is.
  void by_cells() const {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto arm = arm_of<Arch>(action[lane]);
      const std::size_t cell = arm * lanes + lane;
      const double n = pulls[cell] + 1;
      pulls[cell] = n;
      if constexpr (decaying) deficit[cell] += pulled;
      if constexpr (radius_of == RadiusOf::pulls) gain[cell] = __builtin_sqrt(n * scale);
      if (leaving) {
        const std::size_t old = static_cast<std::size_t>(static_cast<std::int64_t>(slot[lane])) * lanes + lane;
        const double m = matured[old] + 1;
        matured[old] = m;
        if constexpr (decaying) deficit[old] -= left;
        if constexpr (radius_of == RadiusOf::matured) gain[old] = __builtin_sqrt(m * scale);
      }
      if (slot != nullptr) slot[lane] = static_cast<ArmId>(arm);
    }
  }

  std::size_t lanes, arms;
  double *pulls, *matured, *deficit, *gain;
  const double* action;
  double scale, pulled, left;
  ArmId* slot;
  bool leaving;
};

template <class Arch, bool decaying, RadiusOf radius_of, class ArmId>
inline void account(State& s, std::int64_t round) {
  const Books<Arch, decaying, radius_of, ArmId> books(s, round);
  if constexpr (sizeof(ArmId) == 2) {
    books.by_cells();  // more than 256 arms
  } else if (s.arms <= State::kFewArms) {
    books.by_rows();
  } else {
    books.by_cells();
  }
}

/// The account of the state's policy.
template <class Arch, bool decaying, class ArmId>
inline void account(State& s, std::int64_t round) {
  if (!s.has_radius) {
    account<Arch, decaying, RadiusOf::nothing, ArmId>(s, round);
  } else if (s.statistic == model::Statistic::matured) {
    account<Arch, decaying, RadiusOf::matured, ArmId>(s, round);
  } else {
    account<Arch, decaying, RadiusOf::pulls, ArmId>(s, round);
  }
}

/// One round older: the deficits are rescaled when their period ends.
template <class Arch>
inline void age(State& s) {
  using D = Doubles<Arch>;
  Decay& decay = s.decay;
  if (++decay.phase < decay.period) return;
  const D factor(decay.power[decay.period]);
  for (std::size_t cell = 0; cell < s.arms * s.lanes; cell += D::size) {
    (D::load_aligned(s.deficit + cell) * factor).store_aligned(s.deficit + cell);
  }
  decay.phase = 0;
}

}  // namespace dbandit::kernel
