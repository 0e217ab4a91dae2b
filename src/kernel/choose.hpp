#pragma once

#include "dbandit/rng/draws.hpp"
#include "kernel/poisson.hpp"
#include "kernel/state.hpp"
#include "kernel/threefry.hpp"

/// The arm of largest index, for all lanes. Indices are fractions (base + gain x)/Ñ and are compared as a/b > c/d iff ad > cb: no
/// division and no root per arm and round.
namespace dbandit::kernel {

/// The index's denominator, in the exact order of operations that resolve.cpp repeats in scalar.
template <class Arch, Denominator kind>
struct Below {
  using D = Doubles<Arch>;
  explicit Below(const State& s)
      : pulls(s.pulls),
        matured(s.matured),
        deficit(s.deficit),
        exposure(s.exposure),
        unseen_factor(s.decay.power[s.decay.phase]),
        matured_factor(kind == Denominator::matured ? s.window_cdf : s.decay.matured) {}
  D operator()(std::size_t cell) const {
    if constexpr (kind == Denominator::recursion) {
      return (D::load_aligned(pulls + cell) - matured_factor * D::load_aligned(matured + cell)) -
             unseen_factor * D::load_aligned(deficit + cell);
    } else if constexpr (kind == Denominator::matured) {
      return matured_factor * D::load_aligned(matured + cell);
    } else if constexpr (kind == Denominator::pulls) {
      return D::load_aligned(pulls + cell);
    } else {
      return D::load_aligned(exposure + cell);
    }
  }
  const double *pulls, *matured, *deficit, *exposure;
  D unseen_factor, matured_factor;
};

/// A numerator linear in a quantity that all lanes share.
template <class Arch>
struct Linear {
  using D = Doubles<Arch>;
  D operator()(std::size_t cell) const { return D::load_aligned(base + cell) + D::load_aligned(gain + cell) * x; }
  const double *base, *gain;
  D x;
};

/// Chooses by fractions. `margin` is the relative error that they may have: where the leading ones are closer than that the lane is left
/// to resolve(), so the decision is always that of the exact indices.
template <class Arch, Denominator kind, bool clamped, class Numerator>
inline void choose_largest(State& s, double margin, Numerator numerator) {
  using D = Doubles<Arch>;
  constexpr std::size_t kWidth = D::size;
  const Below<Arch, kind> denominator(s);
  const D tolerance(margin);
  double* const action = s.action;
  std::uint32_t* const list = s.undecided;
  const std::size_t lanes = s.lanes, cells = s.arms * s.lanes;
  std::size_t undecided = 0;
  for (std::size_t lane = 0; lane < lanes; lane += kWidth) {
    D best_below = denominator(lane);
    D best_above = numerator(lane);
    if constexpr (clamped) best_above = xsimd::min(best_above, best_below);
    D choice(0.0), arm(0.0);
    Mask<Arch> close(false);
    if constexpr (kind == Denominator::row) close = best_below <= D(0.0);
    for (std::size_t cell = lane + lanes; cell < cells; cell += lanes) {
      const D below = denominator(cell);
      D above = numerator(cell);
      if constexpr (clamped) above = xsimd::min(above, below);
      arm = arm + D(1.0);
      const D challenger = above * best_below, champion = best_above * below;
      const auto better = challenger > champion;
      close = close | (xsimd::abs(challenger - champion) <= tolerance * champion);
      if constexpr (kind == Denominator::row) close = close | (below <= D(0.0));
      best_above = xsimd::select(better, above, best_above);
      best_below = xsimd::select(better, below, best_below);
      choice = xsimd::select(better, arm, choice);
    }
    choice.store_aligned(action + lane);
    for (unsigned found = bits<Arch>(close); found != 0; found &= found - 1) {
      list[undecided++] = static_cast<std::uint32_t>(lane + static_cast<unsigned>(__builtin_ctz(found)));
    }
  }
  s.undecided_count = undecided;
}

/// The keys by which ties are broken, for every arm and lane: drawn a vector at a time when many lanes need them.
template <class Arch>
inline void draw_tie_keys(State& s, std::int64_t round) {
  constexpr std::size_t kWidth = Words<Arch>::size;
  const std::size_t groups = s.lanes / 4;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::tie) | static_cast<std::uint64_t>(arm) << 8;
    for (std::size_t group = 0; group < groups; group += kWidth) {
      Words<Arch> drawn_low[1] = {counting_from<Arch>(s.first / 4 + group)},
                  drawn_high[1] = {Words<Arch>(static_cast<std::uint64_t>(round))};
      threefry<Arch>(s.seed, key, drawn_low, drawn_high);
      alignas(64) std::uint64_t low[kWidth], high[kWidth];
      drawn_low[0].store_aligned(low);
      drawn_high[0].store_aligned(high);
      std::uint32_t* keys = s.tie_keys + arm * s.lanes + group * 4;
      for (std::size_t i = 0; i < kWidth && group + i < groups; ++i, keys += 4) {
        __builtin_memcpy(keys, &low[i], 8);
        __builtin_memcpy(keys + 2, &high[i], 8);
      }
    }
  }
}

/// Tangents of h(S, ·) at span_beta for `count` values of S (padded to a vector): slope g' = x/(x−1), intercept S x − slope β.
template <class Arch>
inline void tangents(const State& s, const double* conversions, std::size_t count, double* base, double* gain) {
  using D = Doubles<Arch>;
  for (std::size_t i = 0; i < count; i += D::size) {
    const D seen = D::load_aligned(conversions + i);
    const auto none = seen == D(0.0);
    const D safe = xsimd::select(none, D(1.0), seen);
    const D y = excess_polynomial<Arch>(D(s.span_beta) / safe);
    const D slope = (D(1.0) + y) / y;
    xsimd::select(none, D(1.0), slope).store_aligned(gain + i);
    xsimd::select(none, D(0.0), (safe + safe * y) - slope * D(s.span_beta)).store_aligned(base + i);
  }
}

template <class Arch, Denominator kind, bool clamped>
inline void choose_klucb(State& s, double beta) {
  using D = Doubles<Arch>;
  switch (s.solver) {
    case model::Solver::direct:
      return choose_largest<Arch, kind, clamped>(
          s, s.margin, [&, x = D(beta)](std::size_t cell) { return D::load_aligned(s.base + cell) + D::load_aligned(s.gain + cell) * x; });
    case model::Solver::newton:
      return choose_largest<Arch, kind, clamped>(s, 2 * kTie, [&](std::size_t cell) {
        return poisson_bound<Arch>(D::load_aligned(s.conversions + cell), beta, excess_newton<Arch, kFullSteps>);
      });
    case model::Solver::bisection:
      return choose_largest<Arch, kind, clamped>(s, 2 * kTie, [&](std::size_t cell) {
        return poisson_bound<Arch>(D::load_aligned(s.conversions + cell), beta, excess_bisection<Arch>);
      });
  }
}

template <class Arch, Denominator kind>
inline void choose_by_index(State& s, double beta, double root_beta) {
  using D = Doubles<Arch>;
  if (s.index == model::IndexForm::ucb) {
    choose_largest<Arch, kind, false>(s, 2 * kTie, Linear<Arch>{s.conversions, s.gain, D(root_beta)});
  } else if (s.clamped) {
    choose_klucb<Arch, kind, true>(s, beta);
  } else {
    choose_klucb<Arch, kind, false>(s, beta);
  }
}

}  // namespace dbandit::kernel
