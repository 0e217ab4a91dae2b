#pragma once

#include "dbandit/rng/draws.hpp"
#include "kernel/bernoulli.hpp"
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
template <class Arch, Denominator kind, bool clamped, class Numerator, class Under>
inline void choose_largest(State& s, double margin, Numerator numerator, const Under& denominator) {
  using D = Doubles<Arch>;
  constexpr std::size_t kWidth = D::size;
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

template <class Arch, Denominator kind, bool clamped, class Numerator>
inline void choose_largest(State& s, double margin, Numerator numerator) {
  choose_largest<Arch, kind, clamped>(s, margin, numerator, Below<Arch, kind>(s));
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

/// Settles by the drawn keys every lane in which the tied arms are known for certain: `certain` says which arms have the largest index
/// there is, `possible` which may have it. The rest stays undecided. (A lane that was decided is settled to the same arm again: its
/// winner is its only certain arm.)
template <class Arch, class Certain, class Possible>
inline void settle_by_keys(State& s, Certain certain, Possible possible) {
  using D = Doubles<Arch>;
  const std::size_t cells = s.arms * s.lanes, listed = s.undecided_count;
  std::size_t next = 0, kept = 0;
  for (std::size_t lane = 0; lane < s.lanes; lane += D::size) {
    D best(-1e10), choice(0.0), arm(0.0);
    Mask<Arch> doubtful(false);
    for (std::size_t cell = lane; cell < cells; cell += s.lanes) {
      const auto in = certain(cell);
      const D key = xsimd::select(in, load_keys<Arch>(s.tie_keys + cell), D(-1e10));
      const auto better = key > best;
      best = xsimd::select(better, key, best);
      choice = xsimd::select(better, arm, choice);
      doubtful = doubtful | (possible(cell) & !in);
      arm = arm + D(1.0);
    }
    const auto settled = (best > D(-1e10)) & !doubtful;
    xsimd::select(settled, choice, D::load_aligned(s.action + lane)).store_aligned(s.action + lane);
    const unsigned done = bits<Arch>(settled);
    for (; next < listed && s.undecided[next] < lane + D::size; ++next) {
      s.undecided[kept] = s.undecided[next];
      kept += (done >> (s.undecided[next] - lane) & 1) == 0;
    }
  }
  s.undecided_count = kept;
}

/// The same for the policy of the state: all arms tie without an index, the clamped ones with a clamped KL index.
template <class Arch>
inline void settle_by_keys(State& s) {
  using D = Doubles<Arch>;
  const auto all = [](std::size_t) { return Mask<Arch>(true); };
  if (s.statistic == model::Statistic::none) return settle_by_keys<Arch>(s, all, all);
  if (s.index != model::IndexForm::klucb || s.solver != model::Solver::direct || !s.clamped) return;
  const Linear<Arch> tangent{s.base, s.gain, D(s.beta)};
  const auto clamped = [&](auto below) {
    return settle_by_keys<Arch>(
        s, [&](std::size_t cell) { return tangent(cell) * D(1 - 2 * s.margin) >= below(cell); },
        [&](std::size_t cell) { return tangent(cell) * D(1 + 2 * s.margin) >= below(cell); });
  };
  switch (s.denominator) {
    case Denominator::recursion:
      return clamped(Below<Arch, Denominator::recursion>(s));
    case Denominator::matured:
      return clamped(Below<Arch, Denominator::matured>(s));
    case Denominator::pulls:
      return clamped(Below<Arch, Denominator::pulls>(s));
    case Denominator::row:
      return clamped(Below<Arch, Denominator::row>(s));
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
inline void choose_klucb(State& s) {
  using D = Doubles<Arch>;
  switch (s.solver) {
    case model::Solver::direct:
      return choose_largest<Arch, kind, clamped>(s, s.margin, Linear<Arch>{s.base, s.gain, D(s.beta)});
    case model::Solver::newton:
      return choose_largest<Arch, kind, clamped>(s, 2 * kTie, [&](std::size_t cell) {
        return poisson_bound<Arch>(D::load_aligned(s.conversions + cell), s.beta, excess_newton<Arch, kFullSteps>);
      });
    case model::Solver::bisection:
      return choose_largest<Arch, kind, clamped>(s, 2 * kTie, [&](std::size_t cell) {
        return poisson_bound<Arch>(D::load_aligned(s.conversions + cell), s.beta, excess_bisection<Arch>);
      });
  }
}

/// Discarding with the Bernoulli divergence: M q over τ_m M.
template <class Arch, Denominator kind, bool clamped>
inline void choose_bernoulli(State& s) {
  using D = Doubles<Arch>;
  choose_largest<Arch, kind, clamped>(s, 2 * kTie, [&](std::size_t cell) {
    return bernoulli_bound<Arch>(D::load_aligned(s.conversions + cell), D::load_aligned(s.matured + cell), s.beta);
  });
}

/// The largest posterior sample: a Gamma(a + S, 1) variate over b + Ñ.
template <class Arch, Denominator kind>
inline void choose_by_samples(State& s) {
  using D = Doubles<Arch>;
  const Below<Arch, kind> exposure(s);
  const D prior(s.prior_rate);
  choose_largest<Arch, kind, false>(
      s, 2 * kTie, [&](std::size_t cell) { return D::load_aligned(s.base + cell); },
      [&](std::size_t cell) { return exposure(cell) + prior; });
}

template <class Arch, Denominator kind>
inline void choose_by_index(State& s) {
  using D = Doubles<Arch>;
  if (s.has_radius) {
    const double x = s.index == model::IndexForm::patient ? s.root_beta + kPatience : s.root_beta;
    choose_largest<Arch, kind, false>(s, 2 * kTie, Linear<Arch>{s.conversions, s.gain, D(x)});
  } else if (s.samples) {
    if constexpr (kind == Denominator::recursion || kind == Denominator::row) choose_by_samples<Arch, kind>(s);
  } else if (s.index == model::IndexForm::bernkl) {
    if constexpr (kind == Denominator::matured || kind == Denominator::row) {
      s.clamped ? choose_bernoulli<Arch, kind, true>(s) : choose_bernoulli<Arch, kind, false>(s);
    }
  } else if (s.clamped) {
    choose_klucb<Arch, kind, true>(s);
  } else {
    choose_klucb<Arch, kind, false>(s);
  }
}

}  // namespace dbandit::kernel
