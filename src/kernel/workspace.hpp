#pragma once

#include "kernel/state.hpp"

namespace dbandit::kernel {

/// Storage of a block's state; kept by a thread and reused, so that nothing is allocated per block once it is warm.
class Workspace {
 public:
  /// The state before round 1. Valid until the next call, as long as the experiment is.
  State& prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);

 private:
  State state_;
  Tables tables_;
  AlignedVector<unsigned char> rows_;
  AlignedVector<Calendar<std::uint32_t>::Chunk> chunks_;
  AlignedVector<Calendar<std::uint64_t>::Chunk> chunks_of_delays_;
};

/// Lanes of a block that are advanced together, so that their state stays in the nearest caches; a function of the experiment alone.
std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure);

}  // namespace dbandit::kernel
