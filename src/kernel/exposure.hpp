#pragma once

#include "kernel/ledger.hpp"

/// Exposures that are kept as a row: the paper's buffer, and the recursions of laws other than the geometric one (whose recursion is part
/// of the index: choose.hpp, Below). Each runs after the round's account of pulls N and matured pulls M.
namespace dbandit::kernel {

/// Ñ by the paper's buffer (§7): every pull of the last ring_length rounds weighted by τ of its age, plus τ_m M. O(m) a round; arms in
/// tiles of four so that the ring is read once per tile, lanes side by side so that nothing is gathered.
template <class Arch>
inline void sum_buffer(State& s, std::int64_t round) {
  using D = Doubles<Arch>;
  const auto* const ring = static_cast<const double*>(s.ring);
  const std::int64_t length = s.ring_length, filled = round < length ? round : length;
  const std::int64_t newest = round % length;
  for (std::size_t arm = 0; arm < s.arms; arm += 4) {
    const D id0(static_cast<double>(arm)), id1(static_cast<double>(arm + 1)), id2(static_cast<double>(arm + 2)),
        id3(static_cast<double>(arm + 3));
    const auto cdf = [&](std::size_t i) { return s.cdf[arm + i < s.arms ? arm + i : arm]; };
    const double *const cdf0 = cdf(0), *const cdf1 = cdf(1), *const cdf2 = cdf(2), *const cdf3 = cdf(3);
    for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
      D sum0(0.0), sum1(0.0), sum2(0.0), sum3(0.0);
      const auto add = [&](std::int64_t slot, std::int64_t age) {
        const D pulled = D::load_aligned(ring + static_cast<std::size_t>(slot) * s.lanes + lane);
        const D nothing(0.0);
        sum0 = sum0 + xsimd::select(pulled == id0, D(cdf0[age]), nothing);
        sum1 = sum1 + xsimd::select(pulled == id1, D(cdf1[age]), nothing);
        sum2 = sum2 + xsimd::select(pulled == id2, D(cdf2[age]), nothing);
        sum3 = sum3 + xsimd::select(pulled == id3, D(cdf3[age]), nothing);
      };
      std::int64_t age = 0;
      for (std::int64_t slot = newest; age < filled && slot >= 0; --slot, ++age) add(slot, age);
      for (std::int64_t slot = length - 1; age < filled; --slot, ++age) add(slot, age);
      const D sums[4] = {sum0, sum1, sum2, sum3};
      for (std::size_t i = 0; i < 4 && arm + i < s.arms; ++i) {
        const std::size_t cell = (arm + i) * s.lanes + lane;
        (sums[i] + D(s.cdf[arm + i][length]) * D::load_aligned(s.matured + cell)).store_aligned(s.exposure + cell);
      }
    }
  }
}

/// The arm that leaves a ring this round, −1 if none does: read before the account overwrites its slot.
template <class Arch, class ArmId>
inline void note_leaving(State& s, const void* ring, std::int64_t length, std::int64_t round) {
  if (length == 0 || round <= length) {
    for (std::size_t lane = 0; lane < s.lanes; ++lane) s.gone[lane] = -1;
    return;
  }
  const ArmId* const slot = static_cast<const ArmId*>(ring) + static_cast<std::size_t>(round % length) * s.lanes;
  for (std::size_t lane = 0; lane < s.lanes; ++lane) s.gone[lane] = static_cast<double>(slot[lane]);
}

/// V_kj ← ρ_j(V_kj + w_j 1{k=a}) − w_j ρ_j^{m+1} 1{k=b}, Ñ = N − Σ_j V_kj − (1−τ_m) M (§7, for each geometric part of the law), with the
/// V scaled as in Decay.
template <class Arch>
inline void expose_by_parts(State& s) {
  using D = Doubles<Arch>;
  const std::size_t parts = s.parts, lanes = s.lanes;
  const PartCoefficients* const phase = s.coefficients + static_cast<std::size_t>(s.parts_phase) * s.coefficients_stride;
  const bool renew = s.parts_phase + 1 == s.parts_period;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const PartCoefficients* const coefficients = phase + arm * s.parts_stride;
    const double* const renewal = s.renewal + arm * s.parts_stride;
    const D id(static_cast<double>(arm)), over(s.window_survival[arm]);
    double* const waiting = s.waiting + arm * parts * lanes;
    for (std::size_t lane = 0; lane < lanes; lane += D::size) {
      const auto pulled = D::load_aligned(s.action + lane) == id, left = D::load_aligned(s.gone + lane) == id;
      D hidden(0.0);
      for (std::size_t j = 0; j < parts; ++j) {
        double* const cell = waiting + j * lanes + lane;
        const PartCoefficients& c = coefficients[j];
        D scaled = D::load_aligned(cell) + where<Arch>(pulled, D(c.pull));
        scaled = scaled - where<Arch>(left, D(c.leave));
        hidden = hidden + scaled * D(c.power);
        if (renew) scaled = scaled * D(renewal[j]);
        scaled.store_aligned(cell);
      }
      const std::size_t cell = arm * lanes + lane;
      ((D::load_aligned(s.pulls + cell) - over * D::load_aligned(s.matured + cell)) - hidden).store_aligned(s.exposure + cell);
    }
  }
  s.parts_phase = renew ? 0 : s.parts_phase + 1;
}

/// Uniform on 0 … LAST: a pull is worth min(age + 1, LAST + 1, m + 1)/(LAST + 1), so a round adds one to every pull not older than the
/// shorter of LAST and m. Sums of integers: exact.
template <class Arch>
inline void expose_by_sums(State& s) {
  using D = Doubles<Arch>;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const D id(static_cast<double>(arm));
    for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
      const std::size_t cell = arm * s.lanes + lane;
      const auto pulled = D::load_aligned(s.action + lane) == id, left = D::load_aligned(s.gone + lane) == id;
      const D growing = (D::load_aligned(s.growing + cell) + where<Arch>(pulled, D(1.0))) - where<Arch>(left, D(1.0));
      const D ages = D::load_aligned(s.ages + cell) + growing;
      growing.store_aligned(s.growing + cell);
      ages.store_aligned(s.ages + cell);
      (ages / D(s.sums_divisor)).store_aligned(s.exposure + cell);
    }
  }
}

/// Constant delay: a pull is worth 1 from the round in which it is that old.
template <class Arch>
inline void expose_by_echo(State& s) {
  const double* const heard = s.echo_lag == 0 ? s.action : s.gone;
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    if (heard[lane] >= 0) s.exposure[arm_of<Arch>(heard[lane]) * s.lanes + lane] += 1;
  }
}

/// Negative binomial: a pull enters the first stage; in every round a share ρ of what is in a stage stays, the rest moves on to the next
/// at once, and what leaves the last is visible. Ñ is the sum of that: of positive terms, so τ_0 = (1−ρ)^r keeps its digits. ρ y is
/// y − (1−ρ) y, for 1 − ρ is what is known to full precision. A pull that leaves the window takes with it what it has left in each stage.
template <class Arch>
inline void expose_by_stages(State& s) {
  using D = Doubles<Arch>;
  const std::size_t stages = s.parts, lanes = s.lanes;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const D id(static_cast<double>(arm)), chance(s.stage_chance);
    for (std::size_t lane = 0; lane < lanes; lane += D::size) {
      const auto left = D::load_aligned(s.gone + lane) == id;
      D moving = where<Arch>(D::load_aligned(s.action + lane) == id, D(1.0));
      for (std::size_t stage = 0; stage < stages; ++stage) {
        double* const cell = s.waiting + (arm * stages + stage) * lanes + lane;
        const D here = D::load_aligned(cell) + moving;
        moving = chance * here;
        ((here - moving) - where<Arch>(left, D(s.stage_left[stage]))).store_aligned(cell);
      }
      const std::size_t cell = arm * lanes + lane;
      // Much the same is added in every round, so rounding would always err to the same side: Kahan's sum.
      const D before = D::load_aligned(s.exposure + cell), term = moving - D::load_aligned(s.carry + cell), after = before + term;
      ((after - before) - term).store_aligned(s.carry + cell);
      after.store_aligned(s.exposure + cell);
    }
  }
}

/// τ_m M of Discarding where the arms have laws of their own.
template <class Arch>
inline void expose_matured(State& s) {
  using D = Doubles<Arch>;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const D visible(s.window_cdf_by_arm[arm]);
    for (std::size_t cell = arm * s.lanes; cell < (arm + 1) * s.lanes; cell += D::size) {
      (visible * D::load_aligned(s.matured + cell)).store_aligned(s.exposure + cell);
    }
  }
}

/// The account of pulls, and the exposure by whatever the law allows.
template <class Arch, class ArmId>
inline void track(State& s, std::int64_t round) {
  const bool echoes = s.tracking == Tracking::sums || s.tracking == Tracking::echo;
  if (echoes) {
    note_leaving<Arch, ArmId>(s, s.echo_ring, s.echo_length, round);
  } else if (s.tracking != Tracking::none) {
    note_leaving<Arch, ArmId>(s, s.ring, s.ring_length, round);
  }
  account<Arch, false, ArmId>(s, round);
  switch (s.tracking) {
    case Tracking::parts:
      expose_by_parts<Arch>(s);
      break;
    case Tracking::sums:
      expose_by_sums<Arch>(s);
      break;
    case Tracking::echo:
      expose_by_echo<Arch>(s);
      break;
    case Tracking::stages:
      expose_by_stages<Arch>(s);
      break;
    default:
      break;
  }
  if (echoes && s.echo_length > 0) {
    ArmId* const slot = static_cast<ArmId*>(s.echo_ring) + static_cast<std::size_t>(round % s.echo_length) * s.lanes;
    for (std::size_t lane = 0; lane < s.lanes; ++lane) slot[lane] = static_cast<ArmId>(arm_of<Arch>(s.action[lane]));
  }
}

}  // namespace dbandit::kernel
