#pragma once

#include "kernel/state.hpp"

namespace dbandit::kernel {

/// Storage of a block's state; kept by a thread and reused, so that the blocks of a run after the first allocate nothing.
class Workspace {
 public:
  /// The state before round 1. Valid until the next call, as long as the experiment is.
  State& prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);
  /// As the last block left it.
  [[nodiscard]] const State& state() const { return state_; }
  /// Bytes that `prepare` would hold for so many lanes beside the tables, which it adds to those wanted.
  double measure(const model::Experiment& experiment, std::size_t lanes, model::Exposure exposure);
  Tables& tables() { return tables_; }

 private:
  State state_;
  Tables tables_;
  Arena arena_;
};

/// The one that `simulate` uses.
Workspace& workspace_of_this_thread();

/// Lanes of a block that are advanced together, so that their state stays in the nearest caches; a function of the experiment alone.
std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure);

}  // namespace dbandit::kernel
