#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/executor.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// What may vary without changing a byte of the results.
struct RunOptions {
  int threads = 0;                         ///< 0: all that the machine has
  const kernel::Target* target = nullptr;  ///< nullptr: best_target()
  Executor executor = kDefaultExecutor;
  /// Called as blocks are folded, in plan order, from one thread at a time: blocks done, blocks in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Called after progress, with the run so far.
  std::function<void(const Result&)> folded = {};
  const Prefix* from = nullptr;  ///< what is already known of this spec: it is not simulated again
  std::stop_token stop = {};     ///< once requested, the blocks under way are finished and folded and the result is incomplete
};

/// spec -> plan -> blocks (in parallel) -> fold in plan order -> result. Throws UserError when the spec is not valid or
/// does not fit into memory.
Result run(const Spec& spec, const RunOptions& options);

}  // namespace dbandit::sim
