#include "sim/sums.hpp"

#include <algorithm>
#include <cassert>

namespace dbandit::sim {

namespace {

template <class T>
void merge(std::vector<T>& into, const std::vector<T>& from) {
  assert(into.empty() || from.empty() || into.size() == from.size());
  into.resize(std::max(into.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) into[i].merge(from[i]);
}

std::vector<stats::Moments> moments(const std::vector<stats::ExactSums>& sums, stats::Grid grid) {
  std::vector<stats::Moments> all;
  for (const stats::ExactSums& one : sums) all.push_back(one.moments(grid));
  return all;
}

}  // namespace

std::vector<std::size_t> spread_records(std::size_t records) {
  constexpr std::size_t most = 50;
  const std::size_t step = std::max<std::size_t>(1, (records + most - 1) / most);
  std::vector<std::size_t> kept;
  for (std::size_t record = (records + step - 1) % step; record < records; record += step) kept.push_back(record);
  return kept;
}

void Timing::merge(const Timing& other) {
  seconds += other.seconds;
  replica_rounds += other.replica_rounds;
  policy_seconds.resize(std::max(policy_seconds.size(), other.policy_seconds.size()));
  for (std::size_t i = 0; i < other.policy_seconds.size(); ++i) policy_seconds[i] += other.policy_seconds[i];
}

void PolicySums::merge(const PolicySums& other) {
  for (const Measure& measure : kMeasures) sim::merge(this->*measure.sums, other.*measure.sums);
  sim::merge(pulls, other.pulls);
  sim::merge(spread, other.spread);
}

void RunSums::merge(const RunSums& other) {
  [[maybe_unused]] const bool disjoint = blocks.merge(other.blocks);
  assert(disjoint);
  sim::merge(policies, other.policies);
  sim::merge(paired, other.paired);
  timing.merge(other.timing);
}

RunStats statistics(const RunSums& sums, stats::Grid grid) {
  RunStats all;
  for (const PolicySums& policy : sums.policies) {
    PolicyStats& stats = all.policies.emplace_back();
    for (const Measure& measure : kMeasures) stats.*measure.curve = moments(policy.*measure.sums, grid);
    stats.pulls = moments(policy.pulls, grid);
    stats.spread = policy.spread;
  }
  all.paired = moments(sums.paired, grid);
  return all;
}

}  // namespace dbandit::sim
