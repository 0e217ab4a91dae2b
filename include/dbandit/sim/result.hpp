#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dbandit/model/bounds.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/spec.hpp"
#include "dbandit/stats/moments.hpp"
#include "dbandit/stats/quantiles.hpp"

namespace dbandit::sim {

/// What a run cost; kept out of every file that is compared byte for byte.
struct Timing {
  double seconds = 0;
  double replica_rounds = 0;
  std::vector<double> policy_seconds;  ///< CPU seconds spent in each policy, all threads together
  void merge(const Timing& other);
};

/// The statistics of one policy over the replicas of a run.
struct PolicyStats {
  std::vector<stats::Moments> regret, pseudo_regret, realised_regret;  ///< [record]
  std::vector<stats::Moments> pulls;                                   ///< [arm], at the horizon
  std::vector<stats::Quantiles> spread;                                ///< of the regret over the replicas, at some of the records
  std::vector<stats::Moments> growth;  ///< of the regret of a replica, between neighbours of compared_records
  std::vector<stats::Moments> gaps;    ///< at the horizon, of a replica: [0] pseudo-regret minus regret, [1] realised regret minus regret

  [[nodiscard]] const stats::Quantiles& final_regret() const { return spread.back(); }
};

/// The statistics of a run for all policies of its spec.
struct RunStats {
  std::vector<PolicyStats> policies;          ///< in the spec's order
  std::vector<stats::Moments> paired;         ///< final regret of a minus b, pairs (0,1), (0,2), …, (1,2), … in the spec's order
  std::vector<stats::Moments> paired_at;      ///< the same at each of compared_records: [pair][record]
  std::vector<stats::Moments> paired_growth;  ///< growth of a minus growth of b between neighbours of them: [pair][record − 1]
};

/// The records at which a replica is compared with itself (growth) and policies with each other on the same worlds: all of a short list;
/// of a longer one the rounds 1, 2, 3 and 5 times a power of ten, and the last.
std::vector<std::size_t> compared_records(std::span<const std::int64_t> at);

/// Where RunStats::paired has the pair (low, high), low < high.
constexpr std::size_t pair_index(std::size_t low, std::size_t high, std::size_t policies) {
  return low * policies - low * (low + 1) / 2 + (high - low - 1);
}

/// A run: finished, or stopped after some of its blocks.
struct Result {
  Spec spec;
  RunStats stats = {};
  bool complete = true;                          ///< whether every block of the plan is in `stats`, or enough of them for --until
  std::size_t blocks_done = 0;                   ///< so many are
  std::size_t looks = 0;                         ///< at its own precision, with --until; the last one included
  bool precise = false;                          ///< what the last look said
  double interval_alpha = 0.05;                  ///< how often an interval may miss; less after several looks (sim/until.hpp)
  model::Slopes censored = {}, uncensored = {};  ///< censored: zero without a window
  std::string target = {};                       ///< the SIMD target that ran, "scalar" for the reference
  int threads = 0;
  Timing timing = {};

  /// Of the interval that reports show: it covers with 95 %, several looks or not.
  [[nodiscard]] double half_width(const stats::Moments& moments) const { return stats::half_width(moments, interval_alpha); }
};

}  // namespace dbandit::sim
