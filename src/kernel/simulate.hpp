#pragma once

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/experiment.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

/// A block from its first round to its paths, on the instruction set of `rounds` and `leap`.
void simulate(Rounds rounds, Leaping leap, const model::Experiment& experiment, const model::Block& block, model::Exposure exposure,
              model::Solver solver, model::Paths& paths, Profile* profile);

}  // namespace dbandit::kernel
