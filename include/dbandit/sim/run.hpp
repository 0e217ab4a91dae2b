#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/guest.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/executor.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

struct BlockOutcome;

inline constexpr int kMostThreads = 1024;

/// What may vary without changing a byte of the results.
struct RunOptions {
  int threads = 0;                         ///< 0: as many as affinity and control group let run at once
  const kernel::Target* target = nullptr;  ///< nullptr: best_target()
  Executor executor = kDefaultExecutor;
  /// Called as blocks are folded, in plan order, from one thread at a time: blocks done, blocks in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Called after progress, with the run so far.
  std::function<void(const Result&)> folded = {};
  const Prefix* from = nullptr;               ///< what is already known of this spec: it is not simulated again
  std::span<const model::Guest> guests = {};  ///< sim/guest.hpp
  std::stop_token stop = {};                  ///< once requested, the blocks under way are finished and folded and the result is incomplete
};

/// The threads that this process will start. Throws UserError beyond kMostThreads.
int thread_count(const RunOptions& options);

/// spec -> plan -> blocks (in parallel) -> fold in plan order -> result. Throws UserError when the spec is not valid or
/// does not fit into memory.
Result run(const Spec& spec, const RunOptions& options);

/// The blocks first, …, end − 1 of the plan, each given to `each` by itself and in order. Returns how many there were before a stop.
std::size_t run_blocks(const Spec& spec, const RunOptions& options, std::size_t first, std::size_t end,
                       const std::function<void(const BlockOutcome&)>& each);

/// Several specs as one parallel job, so that nobody waits for the end of another's run. The results are those of `run`, in the
/// order of the specs; the seconds of each are its share of the job's, by CPU time. Progress counts the blocks of all.
std::vector<Result> run_all(std::span<const Spec> specs, const RunOptions& options);

}  // namespace dbandit::sim
