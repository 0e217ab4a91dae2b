#pragma once

#include <memory>
#include <vector>

#include "dbandit/model/delay_table.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/model/geometric_fit.hpp"

namespace dbandit::kernel {

/// Tables of the laws met so far, and their fits: a thread keeps them from block to block.
class Tables {
 public:
  model::DelayTable& of(const model::DelayLaw& law);
  const model::GeometricFit& fit(const model::DelayLaw& law, std::int64_t last, double tolerance);
  /// [arm] τ_0 … τ_last.
  void cdfs(const model::Delays& delays, std::size_t arms, std::int64_t last, const double** rows);
  /// Forgets everything once there is much more than so many arms can use.
  void limit(std::size_t arms);

 private:
  struct Fitted {
    model::DelayLaw law;
    std::int64_t last;
    double tolerance;
    model::GeometricFit fit;
  };
  std::vector<std::unique_ptr<model::DelayTable>> tables_;
  std::vector<std::unique_ptr<Fitted>> fits_;
};

/// What the parts of a block are prepared from. A part has `size` (how long its rows are), `declare` (the rows) and, where not all of
/// them begin with zeros, `fill`.
struct Setup {
  const model::Experiment& experiment;
  model::Exposure exposure;
  model::Solver solver;
  Tables& tables;
};

}  // namespace dbandit::kernel
