#pragma once

#include "kernel/books.hpp"
#include "kernel/policy/likeliest_mean.hpp"
#include "kernel/policy/matches.hpp"
#include "kernel/setup.hpp"

/// Exposure under an estimated delay law (appendix on delay-agnostic policies).
namespace dbandit::kernel {

struct LearnedDelays {
  enum class Kind {
    none,        ///< the policy knows the law, or needs none
    mean,        ///< an online mean, uncensored
    likelihood,  ///< the likeliest mean, truncation allowed for
    window       ///< the empirical CDF, censored
  };
  Kind kind = Kind::none;
  double gamma = 1;
  double* exposure = nullptr;        ///< Ñ by the estimate
  double* observed = nullptr;        ///< [lane] n, delays observed so far
  double* mean_delay = nullptr;      ///< [lane] μ̂
  double* delay_total = nullptr;     ///< [lane] likelihood: their sum
  std::int64_t* moved_at = nullptr;  ///< [lane] likelihood: round of the last observation
  std::uint32_t* moved = nullptr;    ///< [movers] lanes that have observed something this round
  std::size_t movers = 0;
  double* unseen = nullptr;  ///< O of a mean
  Matches matches;           ///< of a window

  void size(const model::Experiment& experiment, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Books& books);
};

/// The weight n^−γ of the n-th observed delay.
double observation_weight(double gamma, double n);

/// Uncensored: μ̂ ← (1 − n^−γ) μ̂ + n^−γ D at the n-th observed delay.
template <class Arch>
inline void observe_mean(const LearnedDelays& s, std::size_t lane, double delay) {
  const double n = s.observed[lane] + 1;
  s.observed[lane] = n;
  const double weight = s.gamma == 1 ? 1 / n : observation_weight(s.gamma, n);
  s.mean_delay[lane] = (1 - weight) * s.mean_delay[lane] + weight * delay;
}

/// The same by likelihood: a sum of integers, so the order of same-round arrivals does not matter, and μ̂ is found after the last of them.
template <class Arch>
inline void observe_likelihood(LearnedDelays& s, std::size_t lane, double delay, std::int64_t round) {
  s.observed[lane] += 1;
  s.delay_total[lane] += delay;
  if (s.moved_at[lane] == round) return;
  s.moved_at[lane] = round;
  s.moved[s.movers++] = static_cast<std::uint32_t>(lane);
}

/// μ̂ of the lanes that have observed something, a vector of them at a time.
template <class Arch>
[[gnu::noinline]] void renew_likeliest_means(LearnedDelays& s, std::int64_t round) {
  using D = Doubles<Arch>;
  alignas(64) double counts[D::size], totals[D::size], means[D::size];
  for (std::size_t at = 0; at < s.movers; at += D::size) {
    const std::size_t here = s.movers - at < D::size ? s.movers - at : D::size;
    for (std::size_t i = 0; i < D::size; ++i) {
      const std::size_t lane = s.moved[at + (i < here ? i : 0)];
      counts[i] = s.observed[lane], totals[i] = s.delay_total[lane];
    }
    likeliest_mean<Arch>(D::load_aligned(counts), D::load_aligned(totals), D(static_cast<double>(round))).store_aligned(means);
    for (std::size_t i = 0; i < here; ++i) s.mean_delay[s.moved[at + i]] = means[i];
  }
  s.movers = 0;
}

/// O ← ρ̂(O + 1{pulled}) with the ρ̂ of now, then Ñ = N − O; 0 before the first observation, so that all arms tie.
template <class Arch>
inline void expose_by_mean(const LearnedDelays& s, const Books& books) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) s.unseen[books.arm(lane) * books.lanes + lane] += 1;
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    const D mean = D::load_aligned(s.mean_delay + lane);
    const D ratio = mean / (D(1.0) + mean);
    const auto blind = D::load_aligned(s.observed + lane) == D(0.0);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
      const D unseen = ratio * D::load_aligned(s.unseen + cell);
      unseen.store_aligned(s.unseen + cell);
      xsimd::select(blind, D(0.0), D::load_aligned(books.pulls + cell) - unseen).store_aligned(s.exposure + cell);
    }
  }
}

/// Censored: Ñ = matches / n.
template <class Arch>
inline void expose_by_matches(const LearnedDelays& s, const Books& books) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    const D n = D::load_aligned(s.observed + lane);
    const auto blind = n == D(0.0);
    const D divisor = xsimd::select(blind, D(1.0), n);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
      (D::load_aligned(s.matches.sums + cell) / divisor).store_aligned(s.exposure + cell);
    }
  }
}

}  // namespace dbandit::kernel
