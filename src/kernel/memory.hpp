#pragma once

#include <cstddef>
#include <span>

#include "dbandit/model/experiment.hpp"

namespace dbandit::kernel {

/// What a thread holds at most while it plays blocks of these experiments, one experiment after the other.
struct StateBytes {
  double rows = 0;    ///< rows, rings, queues, calendars, coefficients of a block: reused from one experiment to the next
  double tables = 0;  ///< tables of the delay laws: kept from one experiment to the next
};

/// Measured by the walk that hands the memory out (workspace.cpp), so it cannot differ from it. Allocates none of it.
StateBytes state_bytes(std::span<const model::Experiment> experiments, std::size_t block_lanes, model::Exposure exposure);

}  // namespace dbandit::kernel
