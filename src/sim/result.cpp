#include "dbandit/sim/result.hpp"

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

void PolicyStats::merge(const PolicyStats& other) {
  for (const Measure& measure : kMeasures) sim::merge(this->*measure.curve, other.*measure.curve);
  sim::merge(pulls, other.pulls);
  final_regret.merge(other.final_regret);
}

void BlockStats::merge(const BlockStats& other) {
  sim::merge(policies, other.policies);
  sim::merge(paired, other.paired);
}

}  // namespace dbandit::sim
