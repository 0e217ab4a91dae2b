#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

/// An engine: plays one policy on the replicas of a block.
using Simulate = std::function<void(const model::Experiment&, const model::Block&, model::Paths&)>;

/// What a worker keeps from block to block, so that its storage is reused.
struct BlockScratch {
  model::Paths paths;
  std::vector<std::vector<double>> regret;  ///< [policy][compared record · count + replica of the block]
};

/// Plays every experiment on the same replicas, hence in the same worlds, and sums up what was recorded. `sums` is overwritten, but for
/// the blocks that it covers, which the caller knows.
void simulate_block(const Simulate& simulate, std::span<const model::Experiment> experiments, const model::Block& block, stats::Grid grid,
                    BlockScratch& scratch, RunSums& sums);

}  // namespace dbandit::sim
