#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/spec.hpp"

/// What a job would cost, told before it runs.
namespace dbandit::sim {

struct Forecast {
  struct Pace {
    std::string policy;
    double seconds = 0;  ///< CPU seconds per replica and round
  };
  std::size_t cells = 0;   ///< specs times policies
  std::size_t blocks = 0;  ///< of replicas, each played by every policy of its spec
  double replica_rounds = 0;
  double memory_bytes = 0;
  std::vector<Pace> paces;         ///< of the policies, averaged over the calibrated specs
  double cpu_seconds = 0;          ///< of the whole job
  double calibration_seconds = 0;  ///< CPU seconds that it took to know
};

/// Counts by formula, bytes by the account of memory.hpp; times from playing one block of each policy for as many rounds as `budget` CPU
/// seconds allow. Of many specs some, evenly taken, speak for all. Throws UserError when a spec does not fit into memory.
Forecast forecast(std::span<const Spec> specs, int threads, const kernel::Target* target, double budget = 0.3);

}  // namespace dbandit::sim
