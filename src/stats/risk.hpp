#pragma once

#include <cstdint>

#include "dbandit/stats/quantiles.hpp"

/// What a bad replica looks like, from the histogram that a run keeps. Its bins are 1/1024 of a power of two wide, so every order statistic
/// is known within 0.05 %, and what follows from them too; merged in any order the numbers are the same.
namespace dbandit::stats {

struct RiskFigure {
  double value = 0;
  double low = 0, high = 0;  ///< an infinite end: so few replicas say nothing there
};

/// Of a law that nothing is assumed about:
///   - a quantile q lies between the order statistics l and u with the chance P(l ≤ B < u), B ~ Binomial(n, q): exact, whatever the law;
///   - the expected shortfall is the mean of the worst 5 %; its interval is that of the mean of q + (X − q)⁺/5 %, q the 95 % quantile, of
///     which it is the least over all q (Rockafellar and Uryasev 2000): large-sample, no family of laws assumed;
///   - a chance has the binomial interval of Clopper and Pearson.
/// Each but the shortfall's misses with a chance of `alpha` at most. That one misses more often where the replicas are few and the tail is
/// long: of 500 of a log-normal law up to three times as often.
struct Risk {
  RiskFigure p95 = {};
  RiskFigure p99 = {};
  RiskFigure shortfall = {};
  RiskFigure above = {};
  double bar = 0;            ///< `above` is the chance of more than this
  std::uint64_t count = 0;   ///< replicas
  std::uint64_t needed = 0;  ///< so many are needed for an interval of the 99 % quantile with two ends
};
Risk risk(const Quantiles& sample, double bar, double alpha);

/// The least n with q^n ≤ alpha/2: with fewer, even the largest of them need not be beyond the quantile.
std::uint64_t replicas_for_quantile(double q, double alpha);

}  // namespace dbandit::stats
