#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/run.hpp"
#include "sim/block.hpp"
#include "sim/codec.hpp"
#include "sim/plan.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

/// One spec of a job: its plan, its policies, and what its blocks add up to so far.
class Run {
 public:
  Run(const Spec& spec, const RunOptions& options, int threads);
  [[nodiscard]] const Spec& spec() const { return spec_; }
  /// The blocks to be simulated here: all, or those of the shard.
  [[nodiscard]] Interval mine() const { return mine_; }

  void simulate(std::size_t block, BlockScratch& scratch, RunSums& outcome) const;
  void add(const RunSums& outcome);
  /// What another rank, or an earlier session, has done.
  void add(const RunState& state);
  [[nodiscard]] RunState state() const;
  RunState take_state();
  [[nodiscard]] Coverage covered() const;
  [[nodiscard]] double cpu_seconds() const;

  /// The blocks that must be there before the run is looked at: all of its own, or those of the next look of --until; empty when it is
  /// done.
  [[nodiscard]] Interval stage() const;
  [[nodiscard]] Result result(const RunState& state) const;

 private:
  Spec spec_;
  Plan plan_;
  Interval mine_;
  const kernel::Target* target_ = nullptr;
  Simulate simulate_;
  std::vector<model::Experiment> experiments_;
  std::span<double> final_regrets_;
  mutable std::mutex mutex_;
  RunState state_;
};

/// A list of runs whose blocks are worked on together: by the threads of this process and, under mpirun, by those of all ranks.
class Job {
 public:
  Job(std::span<const Spec> specs, const RunOptions& options);
  std::deque<Run>& runs() { return runs_; }
  [[nodiscard]] const std::deque<Run>& runs() const { return runs_; }
  /// Until all runs are done. False when it was stopped before.
  bool work();
  /// A run's seconds are its share of the job's, by CPU time.
  [[nodiscard]] double seconds_per_cpu_second() const;
  [[nodiscard]] RunState state(std::size_t run, double seconds_per_cpu_second) const;
  [[nodiscard]] std::vector<Result> results() const;

  // For the other ranks (mpi.cpp): the job as bytes; blocks of each run; what they added up to, and how many threads had part.
  [[nodiscard]] std::string describe() const;
  void play(std::span<const Coverage> blocks);
  [[nodiscard]] std::string take_states();
  bool add_states(std::string_view bytes);

 private:
  [[nodiscard]] std::vector<Coverage> stage() const;

  const RunOptions& options_;
  int threads_, all_threads_;
  bool is_shared_;  ///< with other ranks
  std::deque<Run> runs_;
  std::vector<BlockScratch> scratch_;  ///< by worker
  std::vector<RunSums> outcomes_;      ///< by worker
  std::mutex progress_mutex_;
  std::size_t blocks_ = 0, blocks_done_ = 0;
  std::vector<double> cpu_before_;  ///< by run: what earlier sessions took
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The function that a guest of the spec stands for. Throws UserError when it is not given.
const model::Guest& function_of(const Policy& policy, std::span<const model::Guest> guests);
/// The engine of a run: `others` for the catalogue's policies.
Simulate engine_with_guests(Simulate others, const Spec& spec, const kernel::Target* target, const Plan& plan,
                            std::span<const model::Guest> guests);

}  // namespace dbandit::sim
