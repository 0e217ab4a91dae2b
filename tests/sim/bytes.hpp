#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

/// Statistics down to the last bit, as text that a failing test can show.
inline std::string bytes(const std::vector<stats::Moments>& moments) {
  std::string text;
  for (const stats::Moments& m : moments) {
    char line[128];
    std::snprintf(line, sizeof line, "%a %a %a\n", m.count, m.mean, m.variance);
    text += line;
  }
  return text;
}

inline std::string bytes(const PolicyStats& stats) {
  std::string text;
  for (const Measure& measure : kMeasures) text += std::string(measure.name) + "\n" + bytes(stats.*measure.curve);
  text += "pulls\n" + bytes(stats.pulls) + "growth\n" + bytes(stats.growth) + "gaps\n" + bytes(stats.gaps) + "spread\n";
  for (const stats::Quantiles& spread : stats.spread) {
    for (const auto& [bin, count] : spread.bins()) text += std::to_string(bin) + " " + std::to_string(count) + "\n";
  }
  return text;
}

inline std::string bytes(const RunStats& stats) {
  std::string text;
  for (const PolicyStats& policy : stats.policies) text += bytes(policy);
  return text + "paired\n" + bytes(stats.paired) + bytes(stats.paired_at) + bytes(stats.paired_growth);
}

}  // namespace dbandit::sim
