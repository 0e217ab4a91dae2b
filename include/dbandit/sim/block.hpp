#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dbandit/sim/result.hpp"

namespace dbandit::sim {

/// An engine: plays one policy on the replicas of a block.
using Simulate = std::function<void(const model::Experiment&, const model::Block&, model::Paths&)>;

/// Storage that a worker keeps from block to block.
struct Workspace {
  model::Paths paths;
  std::vector<AlignedVector<double>> final_regret;  ///< [policy][lane]
};

/// What a block brings to the fold.
struct BlockOutcome {
  BlockStats stats;
  std::vector<double> policy_seconds;  ///< CPU seconds of the thread
};

/// Plays every experiment on the same replicas, hence in the same worlds, and keeps the statistics.
void simulate_block(const Simulate& simulate, std::span<const model::Experiment> experiments, const model::Block& block,
                    Workspace& workspace, BlockOutcome& outcome);

}  // namespace dbandit::sim
