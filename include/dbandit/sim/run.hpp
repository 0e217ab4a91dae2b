#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/guest.hpp"
#include "dbandit/sim/executor.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

class Checkpoint;

inline constexpr int kMostThreads = 1024;

/// The index-th of count parts of a run, 1 ≤ index ≤ count: for machines that do not know of each other.
struct Shard {
  std::size_t index = 1, count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// What may vary without changing a byte of the results.
struct RunOptions {
  int threads = 0;                         ///< 0: as many as affinity and control group let run at once
  const kernel::Target* target = nullptr;  ///< nullptr: best_target()
  Executor executor = kDefaultExecutor;
  /// Called as blocks are added up, by one thread at a time: blocks done, blocks in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
  std::span<const model::Guest> guests = {};  ///< sim/guest.hpp
  Checkpoint* checkpoint = nullptr;           ///< where the state is kept: what it holds is not simulated again
  /// Where there is one spec: [policy][replica] the final regret of every replica that is played here; empty: not kept.
  std::span<double> final_regrets = {};
  Shard shard = {};           ///< which blocks are simulated here
  std::stop_token stop = {};  ///< once requested, the blocks under way are finished and added up and the result is incomplete
};

/// The threads that this process will start. Throws UserError beyond kMostThreads.
int thread_count(const RunOptions& options);

/// spec -> plan -> blocks, in parallel -> integer sums, in any order -> result. Throws UserError when the spec is not valid or
/// does not fit into memory.
Result run(const Spec& spec, const RunOptions& options);

/// Several specs as one parallel job, so that nobody waits for the end of another's run. The results are those of `run`, in the
/// order of the specs; the seconds of each are its share of the job's, by CPU time. Progress counts the blocks of all.
std::vector<Result> run_all(std::span<const Spec> specs, const RunOptions& options);

}  // namespace dbandit::sim
