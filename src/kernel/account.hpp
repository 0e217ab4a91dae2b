#pragma once

#include "kernel/exposure/deficit.hpp"

/// The account of a round once its arm is known: pulls N, matured pulls M (§2) and, in the same pass, the two rows that change with them.
namespace dbandit::kernel {

/// Which count the UCB radius grows with; none for other indices.
enum class RadiusOf { nothing, pulls, matured };

/// The radius of an arm with n pulls is √(n · scale) √β; the account keeps its first factor.
struct Radius {
  RadiusOf of = RadiusOf::nothing;
  double* root = nullptr;
  double scale = 0.5;
};

/// Up to here the account goes row by row under masks; beyond, cell by cell.
inline constexpr std::size_t kFewArms = 4;

/// What changes is one arm per lane, and in the censored setting the arm that leaves the window.
/// `decaying`: the deficit of the recursion is kept; ArmId: how the ring stores an arm.
template <class Arch, bool decaying, RadiusOf radius_of, class ArmId>
struct Account {
  using D = Doubles<Arch>;

  // Copies of the parts' pointers: a store through a byte pointer may alias anything, the parts included.
  Account(const Books& books, const Deficit& decay, const Radius& radius, std::int64_t round)
      : lanes(books.lanes),
        arms(books.arms),
        pulls(books.pulls),
        matured(books.matured),
        deficit(decay.scaled),
        gain(radius.root),
        action(books.action),
        scale(radius.scale),
        pulled(decaying ? decay.pull[decay.phase] : 0),
        left(decaying ? decay.leave[decay.phase] : 0),
        slot(books.ring.length == 0 ? nullptr : books.ring.slot<ArmId>(round, books.lanes)),
        leaving(books.ring.length != 0 && round > books.ring.length) {}

  /// Row by row, every arm of every lane under a mask: no scattered access; cheapest while K is small.
  [[gnu::always_inline]] void by_rows() const {
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
  [[gnu::always_inline]] void by_cells() const {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t arm = arm_of(action[lane]);
      assert(arm < arms);
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

template <class Arch, bool decaying, class ArmId>
inline void account(const Books& books, const Deficit& decay, const Radius& radius, std::int64_t round) {
  const auto keep = [&]<RadiusOf of>() {
    const Account<Arch, decaying, of, ArmId> account(books, decay, radius, round);
    if constexpr (sizeof(ArmId) == 2) {  // NOLINT(bugprone-branch-clone): more than 256 arms
      account.by_cells();
    } else if (books.arms <= kFewArms) {
      account.by_rows();
    } else {
      account.by_cells();
    }
  };
  switch (radius.of) {
    case RadiusOf::nothing:
      return keep.template operator()<RadiusOf::nothing>();
    case RadiusOf::pulls:
      return keep.template operator()<RadiusOf::pulls>();
    case RadiusOf::matured:
      return keep.template operator()<RadiusOf::matured>();
  }
}

/// `decaying`: the exposure is that deficit.
template <class Arch>
inline void account(const Books& books, const Deficit& decay, bool decaying, const Radius& radius, std::int64_t round) {
  books.ring.with_type([&]<class ArmId>(ArmId) {
    if constexpr (sizeof(ArmId) != sizeof(double)) {  // only the buffer's ring holds doubles
      if (decaying) return account<Arch, true, ArmId>(books, decay, radius, round);
    }
    account<Arch, false, ArmId>(books, decay, radius, round);
  });
}

}  // namespace dbandit::kernel
