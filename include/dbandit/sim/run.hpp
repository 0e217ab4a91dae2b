#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Who runs the blocks: oneTBB, plain threads (for ThreadSanitizer, which cannot see into TBB), or nobody else.
enum class Executor { tbb, threads, serial };

/// What may vary without changing a byte of the results.
struct RunOptions {
  int threads = 0;                                 ///< 0: all that the machine has
  const kernel::Target* target = nullptr;          ///< nullptr: best_target()
  Executor executor = Executor::tbb;
  /// Called as blocks are folded, in plan order, from one thread at a time: blocks done, blocks in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// spec -> plan -> blocks (in parallel) -> fold in plan order -> result.
Result run(const Spec& spec, const RunOptions& options);

}  // namespace dbandit::sim
