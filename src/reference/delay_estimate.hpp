#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/double_double.hpp"
#include "model/truncated_mean.hpp"

/// How the delay-agnostic policies learn the law of the delays from the ones they observe (Appendix D).
namespace dbandit::reference {

/// Censored setting: δ_s = how many observed delays are at most s, s = 0 … m; τ̂_s = δ_s / n, so τ̂_m = 1. Counts, not shares, are
/// kept: Ñ_k = (Σ δ of ages) / n then rounds once, and arms with equal evidence tie exactly.
struct DelayCounts {
  std::vector<std::int64_t> at_most;
  std::int64_t observed = 0;

  void add(std::int64_t delay) {
    ++observed;
    for (std::size_t s = static_cast<std::size_t>(delay); s < at_most.size(); ++s) ++at_most[s];
  }
};

/// Uncensored setting: μ̂ ← (1 − n^−γ) μ̂ + n^−γ D at the n-th observed delay. The paper's weight is t^−γ; n counts observations, so
/// that γ = 1 is their mean whatever the rounds at which they came.
struct DelayMean {
  double gamma = 1;
  double mean = 0;
  std::int64_t observed = 0;

  void add(std::int64_t delay) {
    ++observed;
    const double weight = static_cast<double>(pow(DoubleDouble(static_cast<double>(observed)), -gamma));
    mean = (1 - weight) * mean + weight * static_cast<double>(delay);
  }
  /// ρ̂ of the geometric law of this mean.
  [[nodiscard]] double ratio() const { return mean / (1 + mean); }
};

/// Uncensored setting, not in the paper: the mean of observed delays is that of the short ones, so after each observation in round t μ̂ is
/// the mean for which they are likeliest, given that none could exceed the age of its pull.
struct DelayLikelihood {
  std::int64_t observed = 0, total = 0;
  double mean = 0;

  void add(std::int64_t delay, std::int64_t t) {
    ++observed;
    total += delay;
    mean = model::truncated_mean(static_cast<double>(observed), static_cast<double>(total), static_cast<double>(t));
  }
  [[nodiscard]] double ratio() const { return mean / (1 + mean); }
};

}  // namespace dbandit::reference
