#pragma once

#include "dbandit/model/experiment.hpp"

/// The paper written literally: one replica at a time, every sum a loop over history. The oracle of the tests and the
/// baseline of the benchmarks; it shares no code with kernel/.
namespace dbandit::reference {

/// exposure: history (the definition) or buffer (the last m pulls; uncensored: all pulls). Fills `paths`.
void simulate(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Paths& paths);

/// What `simulate` takes at most, the paths aside.
double simulation_bytes(const model::Experiment& experiment);

}  // namespace dbandit::reference
