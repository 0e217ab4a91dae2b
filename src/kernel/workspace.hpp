#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dbandit/core/aligned.hpp"
#include "dbandit/model/delay_table.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/model/geometric_fit.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

/// Storage of a block's state; kept by a thread and reused, so that nothing is allocated per block once it is warm.
class Workspace {
 public:
  /// The state before round 1. Valid until the next call.
  State& prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);

  /// θ* Σ_{d<t} τ*_{min(d,m)} at every recorded round t: the conversions that the best arm, played in every round, is expected to show.
  std::vector<double> always_the_best(const model::Experiment& experiment);

 private:
  template <class T>
  T* take(std::size_t count);
  model::DelayTable& table(const model::DelayLaw& law);
  const model::GeometricFit& fit(const model::DelayLaw& law, std::int64_t last, double tolerance);
  std::vector<const double*> cdfs(const model::Delays& delays);
  void prepare_world(const model::Experiment& experiment);
  void prepare_tracking(const model::Experiment& experiment, model::Exposure exposure);
  void prepare_decay(const model::Geometric& law, const model::Window& window);
  void prepare_parts(const model::Experiment& experiment);
  void prepare_stages(const model::NegativeBinomial& law, const model::Window& window);
  void prepare_rows();
  void prepare_calendar();
  void prepare_start(model::StartOrder order);

  State state_;
  model::DelayLaw law_{model::Geometric{0}};
  std::vector<std::unique_ptr<model::DelayTable>> tables_;  ///< of the laws met so far: they outlive a block
  struct Fitted {
    model::DelayLaw law;
    std::int64_t last;
    double tolerance;
    model::GeometricFit fit;
  };
  std::vector<std::unique_ptr<Fitted>> fits_;
  std::vector<const model::DelayTable*> delay_tables_;
  std::vector<const double*> believed_cdf_, world_cdf_;
  std::vector<PartCoefficients> coefficients_;
  std::vector<double> renewal_, window_survival_, window_cdf_, stage_left_;
  AlignedVector<unsigned char> arena_;
  std::size_t arena_used_ = 0;
  bool measuring_ = false;
  std::vector<std::uint64_t> threshold_;
  AlignedVector<Calendar<std::uint32_t>::Chunk> chunks_;
  AlignedVector<Calendar<std::uint64_t>::Chunk> chunks_of_delays_;
};

/// Lanes of a block that are advanced together, so that their state stays in the nearest caches; a function of the experiment alone.
std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure);

}  // namespace dbandit::kernel
