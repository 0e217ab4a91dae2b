#pragma once

#include <vector>

#include "dbandit/sim/executor.hpp"

namespace dbandit::sim {

/// All of them, but TBB under ThreadSanitizer, which takes its uninstrumented hand-overs for races.
inline std::vector<Executor> executors() {
  if (kDefaultExecutor == Executor::threads) return {Executor::threads, Executor::serial};
  return {Executor::tbb, Executor::threads, Executor::serial};
}

}  // namespace dbandit::sim
