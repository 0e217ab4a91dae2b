#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/model/bounds.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/coverage.hpp"
#include "dbandit/sim/spec.hpp"
#include "dbandit/stats/exact_sums.hpp"
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

/// One policy over some replicas, as integers.
struct PolicySums {
  std::vector<stats::ExactSums> regret, pseudo_regret, realised_regret;  ///< [record]
  std::vector<stats::ExactSums> pulls;                                   ///< [arm], at the horizon
  std::vector<stats::Quantiles> spread;                                  ///< of the regret over the replicas, at spread_records()
  void merge(const PolicySums& other);
};

/// What some blocks of a run add up to. All of it is integers (but what it cost), so blocks, threads, ranks and shards may be merged in
/// any order: the result is the same to the bit.
struct RunSums {
  Coverage blocks;
  std::vector<PolicySums> policies;      ///< in the spec's order
  std::vector<stats::ExactSums> paired;  ///< final regret of a minus b, pairs (0,1), (0,2), …, (1,2), … in the spec's order
  Timing timing;

  /// Nothing of `other` may be covered already; an empty one takes any shape.
  void merge(const RunSums& other);
};

/// The statistics of one policy over the replicas of a run.
struct PolicyStats {
  std::vector<stats::Moments> regret, pseudo_regret, realised_regret;  ///< [record]
  std::vector<stats::Moments> pulls;                                   ///< [arm], at the horizon
  std::vector<stats::Quantiles> spread;                                ///< of the regret over the replicas, at spread_records()

  [[nodiscard]] const stats::Quantiles& final_regret() const { return spread.back(); }
};

/// The records at which the spread of the regret is kept: at most 50 of them, evenly taken, the last one included.
std::vector<std::size_t> spread_records(std::size_t records);

/// The curves of a policy, by the names that every file gives them.
struct Measure {
  std::string_view name;
  std::vector<stats::Moments> PolicyStats::*curve;
  std::vector<stats::ExactSums> PolicySums::*sums;
  AlignedVector<double> model::Paths::*rows;
};
inline constexpr std::array<Measure, 3> kMeasures{{
    {"regret", &PolicyStats::regret, &PolicySums::regret, &model::Paths::regret},
    {"pseudo_regret", &PolicyStats::pseudo_regret, &PolicySums::pseudo_regret, &model::Paths::pseudo_regret},
    {"realised_regret", &PolicyStats::realised_regret, &PolicySums::realised_regret, &model::Paths::realised_regret},
}};

/// The statistics of a run for all policies of its spec.
struct RunStats {
  std::vector<PolicyStats> policies;   ///< in the spec's order
  std::vector<stats::Moments> paired;  ///< as RunSums::paired
};
RunStats statistics(const RunSums& sums, stats::Grid grid);

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
