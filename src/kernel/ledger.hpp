#pragma once

#include "kernel/lanes.hpp"
#include "kernel/state.hpp"

/// The books: pulls N, matured pulls M and the exposure Ñ after the round's arm is known (§2, §6).
namespace dbandit::kernel {

/// Which count the UCB radius grows with; none for KL indices.
enum class RadiusOf { nothing, pulls, matured };

/// What a round changes is one arm per lane, and in the censored setting the arm that leaves the window: a few scattered cells, not
/// K rows. `decaying`: the deficit of the recursion is kept; ArmId: how the ring stores an arm. The rows are copied to local pointers
/// because a store through a byte pointer may alias anything, the state included.
template <class Arch, bool decaying, RadiusOf radius_of, class ArmId>
inline void account(State& s, std::int64_t round) {
  const std::size_t lanes = s.lanes;
  const double pulled = decaying ? s.decay.pull[s.decay.phase] : 0;
  const double left = decaying ? s.decay.leave[s.decay.phase] : 0;
  double* const __restrict pulls = s.pulls;
  double* const __restrict matured = s.matured;
  double* const __restrict deficit = s.deficit;
  double* const __restrict gain = s.gain;
  const std::int64_t* const __restrict action = s.action;
  const double* const __restrict root = s.root;
  const std::int64_t roots = s.roots;
  const double scale = s.radius_scale;
  const auto radius = [=](double n) {
    const auto i = static_cast<std::int64_t>(n);
    return i < roots ? root[i] : __builtin_sqrt(n * scale);
  };
  const auto pull = [=](std::size_t arm, std::size_t lane) {
    const std::size_t cell = arm * lanes + lane;
    const double n = pulls[cell] + 1;
    pulls[cell] = n;
    if constexpr (decaying) deficit[cell] += pulled;
    if constexpr (radius_of == RadiusOf::pulls) gain[cell] = radius(n);
  };
  if (s.ring_length == 0) {
    for (std::size_t lane = 0; lane < lanes; ++lane) pull(static_cast<std::size_t>(action[lane]), lane);
    return;
  }
  auto* const __restrict slot = static_cast<ArmId*>(s.ring) + static_cast<std::size_t>(round % s.ring_length) * lanes;
  if (round <= s.ring_length) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      slot[lane] = static_cast<ArmId>(action[lane]);
      pull(static_cast<std::size_t>(action[lane]), lane);
    }
    return;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t cell = static_cast<std::size_t>(slot[lane]) * lanes + lane;
    const auto arm = static_cast<std::size_t>(action[lane]);
    slot[lane] = static_cast<ArmId>(arm);
    pull(arm, lane);
    const double n = matured[cell] + 1;
    matured[cell] = n;
    if constexpr (decaying) deficit[cell] -= left;
    if constexpr (radius_of == RadiusOf::matured) gain[cell] = radius(n);
  }
}

/// The account of the state's policy.
template <class Arch, bool decaying, class ArmId>
inline void account(State& s, std::int64_t round) {
  if (s.index == model::IndexForm::klucb || s.statistic == model::Statistic::none) {
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

/// Ñ by the paper's buffer (§6): every pull of the last ring_length rounds weighted by τ of its age, plus τ_m M. O(m) a round; arms in
/// tiles of four so that the ring is read once per tile, lanes side by side so that nothing is gathered.
template <class Arch>
inline void sum_buffer(State& s, std::int64_t round) {
  using D = Doubles<Arch>;
  const auto* const ring = static_cast<const double*>(s.ring);
  const std::int64_t length = s.ring_length, filled = round < length ? round : length;
  const std::int64_t newest = round % length;
  const D tail(s.cdf[length]);
  for (std::size_t arm = 0; arm < s.arms; arm += 4) {
    const D id0(static_cast<double>(arm)), id1(static_cast<double>(arm + 1)), id2(static_cast<double>(arm + 2)),
        id3(static_cast<double>(arm + 3));
    for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
      D sum0(0.0), sum1(0.0), sum2(0.0), sum3(0.0);
      const auto add = [&](std::int64_t slot, std::int64_t age) {
        const D pulled = D::load_aligned(ring + static_cast<std::size_t>(slot) * s.lanes + lane);
        const D weight(s.cdf[age]), nothing(0.0);
        sum0 = sum0 + xsimd::select(pulled == id0, weight, nothing);
        sum1 = sum1 + xsimd::select(pulled == id1, weight, nothing);
        sum2 = sum2 + xsimd::select(pulled == id2, weight, nothing);
        sum3 = sum3 + xsimd::select(pulled == id3, weight, nothing);
      };
      std::int64_t age = 0;
      for (std::int64_t slot = newest; age < filled && slot >= 0; --slot, ++age) add(slot, age);
      for (std::int64_t slot = length - 1; age < filled; --slot, ++age) add(slot, age);
      const D sums[4] = {sum0, sum1, sum2, sum3};
      for (std::size_t i = 0; i < 4 && arm + i < s.arms; ++i) {
        const std::size_t cell = (arm + i) * s.lanes + lane;
        (sums[i] + tail * D::load_aligned(s.matured + cell)).store_aligned(s.exposure + cell);
      }
    }
  }
}

}  // namespace dbandit::kernel
