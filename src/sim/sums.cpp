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

std::vector<std::size_t> compared_records(std::span<const std::int64_t> at) {
  constexpr std::size_t few = 24;
  const auto is_round = [](std::int64_t round) {
    while (round % 10 == 0) round /= 10;
    return round == 1 || round == 2 || round == 3 || round == 5;
  };
  std::vector<std::size_t> kept;
  for (std::size_t record = 0; record < at.size(); ++record) {
    if (at.size() <= few || record + 1 == at.size() || is_round(at[record])) kept.push_back(record);
  }
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
  sim::merge(growth, other.growth);
  sim::merge(gaps, other.gaps);
}

void RunSums::merge(const RunSums& other) {
  [[maybe_unused]] const bool disjoint = blocks.merge(other.blocks);
  assert(disjoint);
  sim::merge(policies, other.policies);
  sim::merge(paired, other.paired);
  sim::merge(paired_growth, other.paired_growth);
  timing.merge(other.timing);
}

const stats::ExactSums& RunSums::final_pair(std::size_t pair) const {
  const std::size_t pairs = policies.size() * (policies.size() - 1) / 2, records = paired.size() / pairs;
  return paired[pair * records + records - 1];
}

RunStats statistics(const RunSums& sums, stats::Grid grid) {
  RunStats all;
  for (const PolicySums& policy : sums.policies) {
    PolicyStats& stats = all.policies.emplace_back();
    for (const Measure& measure : kMeasures) stats.*measure.curve = moments(policy.*measure.sums, grid);
    stats.pulls = moments(policy.pulls, grid);
    stats.spread = policy.spread;
    stats.growth = moments(policy.growth, grid);
    stats.gaps = moments(policy.gaps, grid);
  }
  all.paired_at = moments(sums.paired, grid);
  all.paired_growth = moments(sums.paired_growth, grid);
  const std::size_t pairs = sums.paired.empty() ? 0 : sums.policies.size() * (sums.policies.size() - 1) / 2;
  for (std::size_t pair = 0; pair < pairs; ++pair) all.paired.push_back(all.paired_at[(pair + 1) * (all.paired_at.size() / pairs) - 1]);
  return all;
}

}  // namespace dbandit::sim
