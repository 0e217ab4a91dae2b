#pragma once

#include <functional>

#include "dbandit/model/experiment.hpp"
#include "reference/index.hpp"
#include "reference/regret.hpp"

/// The paper written literally: one replica at a time, every sum a loop over history. The oracle of the tests and the
/// baseline of the benchmarks; it shares no code with kernel/.
namespace dbandit::reference {

/// exposure: history (the definition) or buffer (the last m pulls; uncensored: all pulls). Fills `paths`.
void simulate(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Paths& paths);

/// A round of a replica as it went.
struct Step {
  std::int64_t round = 0;
  std::size_t arm = 0;                  ///< that was played
  std::size_t tied = 1;                 ///< between how many arms that was a toss
  std::vector<ArmStatistics> known;     ///< [arm] by which it was chosen
  std::vector<double> indices;          ///< [arm] the same; all 0 for a policy that has none
  Outcome outcome;                      ///< of the pull
  std::vector<std::int64_t> disclosed;  ///< [arm] conversions shown at the end of the round
};
/// Plays one replica, as `simulate` does, and hands out every round up to `last`. A guest of the experiment is asked.
void trace(const model::Experiment& experiment, std::uint64_t replica, model::Exposure exposure, std::int64_t last,
           const std::function<void(const Step&)>& each);

/// What `simulate` takes at most, the paths aside.
double simulation_bytes(const model::Experiment& experiment);

}  // namespace dbandit::reference
