#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/result.hpp"
#include "sim/coverage.hpp"
#include "stats/exact_sums.hpp"

namespace dbandit::sim {

/// One policy over some replicas, as integers.
struct PolicySums {
  std::vector<stats::ExactSums> regret, pseudo_regret, realised_regret;  ///< [record]
  std::vector<stats::ExactSums> pulls;                                   ///< [arm], at the horizon
  std::vector<stats::Quantiles> spread;                                  ///< of the regret over the replicas, at spread_records()
  std::vector<stats::ExactSums> growth;                                  ///< of a replica, between neighbours of compared_records()
  std::vector<stats::ExactSums> gaps;                                    ///< as PolicyStats::gaps
  void merge(const PolicySums& other);
};

/// What some blocks of a run add up to. All of it is integers (but what it cost), so blocks, threads, ranks and shards may be merged in
/// any order: the result is the same to the bit.
struct RunSums {
  Coverage blocks;
  std::vector<PolicySums> policies;             ///< in the spec's order
  std::vector<stats::ExactSums> paired;         ///< [pair][compared record] regret of a minus b, pairs (0,1), (0,2), …, (1,2), …
  std::vector<stats::ExactSums> paired_growth;  ///< [pair][compared record − 1] growth of a minus growth of b
  Timing timing;

  /// Final regret of a minus b.
  [[nodiscard]] const stats::ExactSums& final_pair(std::size_t pair) const;

  /// Nothing of `other` may be covered already; an empty one takes any shape.
  void merge(const RunSums& other);
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

RunStats statistics(const RunSums& sums, stats::Grid grid);

}  // namespace dbandit::sim
