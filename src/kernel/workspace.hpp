#pragma once

#include <cstddef>
#include <vector>

#include "dbandit/core/aligned.hpp"
#include "dbandit/model/experiment.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

/// Storage of a block's state; kept by a thread and reused, so that nothing is allocated per block once it is warm.
class Workspace {
 public:
  /// The state before round 1. Valid until the next call.
  State& prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);

 private:
  template <class T>
  T* take(std::size_t count);
  void prepare_decay(const model::Experiment& experiment);
  void prepare_rows();
  void prepare_calendar();
  void prepare_start(model::StartOrder order);

  State state_;
  model::DelayLaw law_{model::Geometric{0}};
  AlignedVector<unsigned char> arena_;
  std::size_t arena_used_ = 0;
  bool measuring_ = false;
  std::vector<std::uint64_t> threshold_;
  std::vector<double> cdf_;
  AlignedVector<Calendar<std::uint32_t>::Chunk> chunks_;
  AlignedVector<Calendar<std::uint64_t>::Chunk> chunks_of_delays_;
};

/// Lanes of a block that are advanced together, so that their state stays in the nearest caches; a function of the experiment alone.
std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure);

}  // namespace dbandit::kernel
