#include "dbandit/sim/result.hpp"

#include <algorithm>
#include <cassert>

namespace dbandit::sim {

namespace {

template <class T>
void merge(std::vector<T>& into, const std::vector<T>& from) {
  assert(into.empty() || into.size() == from.size());
  into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i].merge(from[i]);
}

}  // namespace

std::vector<std::size_t> spread_records(std::size_t records) {
  constexpr std::size_t most = 50;
  const std::size_t step = std::max<std::size_t>(1, (records + most - 1) / most);
  std::vector<std::size_t> kept;
  for (std::size_t record = (records + step - 1) % step; record < records; record += step) kept.push_back(record);
  return kept;
}

void PolicyStats::merge(const PolicyStats& other) {
  for (const Measure& measure : kMeasures) sim::merge(this->*measure.curve, other.*measure.curve);
  sim::merge(pulls, other.pulls);
  sim::merge(spread, other.spread);
}

void BlockStats::merge(const BlockStats& other) {
  sim::merge(policies, other.policies);
  sim::merge(paired, other.paired);
}

}  // namespace dbandit::sim
