#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/block.hpp"
#include "dbandit/sim/plan.hpp"
#include "dbandit/sim/run.hpp"

namespace dbandit::sim {

/// One spec of a job, ready to run.
struct Run {
  Result result;
  Plan plan;
  Simulate simulate;
  std::vector<model::Experiment> experiments;

  Run(const Spec& spec, const RunOptions& options, int threads);
  void fold(std::size_t block, const BlockOutcome& outcome);
};

/// Several specs whose blocks are items of one list. Every rank has the same job; only one folds.
class Job {
 public:
  Job(std::span<const Spec> specs, const RunOptions& options, int threads);
  [[nodiscard]] std::size_t size() const { return rota_.size(); }
  std::vector<Run>& runs() { return runs_; }

  void simulate(std::size_t item, Workspace& workspace, BlockOutcome& outcome) const;
  void fold(std::size_t item, const BlockOutcome& outcome);

  /// An outcome as bytes, for another rank. False when they are not one of this item.
  [[nodiscard]] static std::string pack(const BlockOutcome& outcome);
  [[nodiscard]] bool unpack(std::size_t item, std::string_view bytes, BlockOutcome& outcome) const;

  /// The job itself as bytes, and back.
  [[nodiscard]] static std::string describe(std::span<const Spec> specs, const RunOptions& options);

 private:
  std::vector<Run> runs_;
  Rota rota_;
};

/// The one that the spec's guest stands for. Throws UserError when none is given.
const model::Guest& function_of(const Policy& policy, std::span<const model::Guest> guests);

/// The engine of a run: `others` for the catalogue's policies.
Simulate engine_with_guests(Simulate others, const Spec& spec, const kernel::Target* target, const Plan& plan,
                            std::span<const model::Guest> guests);

}  // namespace dbandit::sim
