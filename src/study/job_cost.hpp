#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/spec.hpp"
#include "report/columns.hpp"
#include "sim/forecast.hpp"

/// What `dbandit plan` says of a job.
namespace dbandit::study {

/// A job before it runs.
struct JobCost {
  std::vector<sim::Spec> specs;
  sim::Forecast forecast;
  int threads = 0, at_once = 0;
  std::string target;
  double load = 0;
  double memory_available = 0;
  const std::string* out = nullptr;
  double disk_bytes = 0, disk_free = 0;
  std::string reuse;  ///< what a resume would not have to do again
  double share = 1;   ///< of the blocks that is left to do
  [[nodiscard]] double seconds() const {
    return share * forecast.cpu_seconds / static_cast<double>(std::min<std::size_t>(static_cast<std::size_t>(at_once), forecast.blocks));
  }
};

/// Threads, memory, load and disk: all that needs no calibration. threads: 0, all cores; target: nullptr, the best.
void ask_machine(JobCost& cost, int threads, const kernel::Target* target);

std::string cost_text(const JobCost& cost, const report::Style& style);
/// One document, dbandit.plan.v1.
std::string cost_json(const JobCost& cost);

}  // namespace dbandit::study
