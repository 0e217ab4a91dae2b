#pragma once

#include "kernel/lanes.hpp"
#include "kernel/state.hpp"

/// Exposure under an estimated delay law (appendix on delay-agnostic policies).
namespace dbandit::kernel {

/// Uncensored: μ̂ ← (1 − n^−γ) μ̂ + n^−γ D at the n-th observed delay.
template <class Arch>
inline void observe_mean(State& s, std::size_t lane, double delay) {
  const double n = s.observed[lane] + 1;
  s.observed[lane] = n;
  const double weight = s.gamma == 1 ? 1 / n : observation_weight(s.gamma, n);
  s.mean_delay[lane] = (1 - weight) * s.mean_delay[lane] + weight * delay;
}

/// O ← ρ̂(O + 1{pulled}) with the ρ̂ of now, then Ñ = N − O; 0 before the first observation, so that all arms tie.
template <class Arch>
inline void expose_by_mean(State& s) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < s.lanes; ++lane) s.unseen[static_cast<std::size_t>(s.action[lane]) * s.lanes + lane] += 1;
  for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
    const D mean = D::load_aligned(s.mean_delay + lane);
    const D ratio = mean / (D(1.0) + mean);
    const auto blind = D::load_aligned(s.observed + lane) == D(0.0);
    for (std::size_t cell = lane; cell < s.arms * s.lanes; cell += s.lanes) {
      const D unseen = ratio * D::load_aligned(s.unseen + cell);
      unseen.store_aligned(s.unseen + cell);
      xsimd::select(blind, D(0.0), D::load_aligned(s.pulls + cell) - unseen).store_aligned(s.exposure + cell);
    }
  }
}

/// Censored. With n observed delays D_j the plug-in exposure is Ñ_k = (1/n) Σ_j N_k(t − D_j): an integer over n. A round adds to
/// it the observations whose pull of that age was of arm k; O(m) a round, contiguous per lane.
template <class Arch>
inline void age_matches(State& s, std::int64_t span) {
  const std::size_t length = static_cast<std::size_t>(2 * span);
  if (s.recent_at == 0) {  // make room in front: the last span − 1 ids stay
    for (std::size_t lane = 0; lane < s.lanes; ++lane) {
      std::uint32_t* ids = s.recent + lane * length;
      for (std::int64_t i = span - 2; i >= 0; --i) ids[span + 1 + i] = ids[i];
    }
    s.recent_at = span + 1;
  }
  --s.recent_at;
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    std::uint32_t* const ids = s.recent + lane * length + s.recent_at;
    ids[0] = static_cast<std::uint32_t>(s.action[lane]);
    const std::uint32_t* const seen = s.histogram + lane * static_cast<std::size_t>(span);
    double others = 0;
    for (std::size_t arm = 0; arm + 1 < s.arms; ++arm) {
      std::uint32_t grown = 0;
      for (std::int64_t age = 0; age < span; ++age) grown += ids[age] == arm ? seen[age] : 0;
      s.matches[arm * s.lanes + lane] += grown;
      others += grown;
    }
    // Every observed delay is shorter than the time played, so each observation grows exactly one arm.
    s.matches[(s.arms - 1) * s.lanes + lane] += s.observed[lane] - others;
  }
}

/// A new delay D: it matches every pull at least D rounds old, N_k(t − D) of them.
template <class Arch>
inline void observe_delay(State& s, std::int64_t span, std::size_t lane, std::uint32_t delay) {
  s.observed[lane] += 1;
  s.histogram[lane * static_cast<std::size_t>(span) + delay] += 1;
  const std::uint32_t* const ids = s.recent + lane * static_cast<std::size_t>(2 * span) + s.recent_at;
  for (std::size_t arm = 0; arm < s.arms; ++arm) s.matches[arm * s.lanes + lane] += s.pulls[arm * s.lanes + lane];
  for (std::uint32_t age = 0; age < delay; ++age) s.matches[ids[age] * s.lanes + lane] -= 1;
}

template <class Arch>
inline void expose_by_matches(State& s) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
    const D n = D::load_aligned(s.observed + lane);
    const auto blind = n == D(0.0);
    const D divisor = xsimd::select(blind, D(1.0), n);
    for (std::size_t cell = lane; cell < s.arms * s.lanes; cell += s.lanes) {
      (D::load_aligned(s.matches + cell) / divisor).store_aligned(s.exposure + cell);
    }
  }
}

}  // namespace dbandit::kernel
