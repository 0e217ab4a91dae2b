#pragma once

#include <cstdint>

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/experiment.hpp"
#include "work.hpp"

namespace dbandit::bench {

/// The floor (floor.hpp) on θ_L, μ = 500, for a block of the engine's size; items are replica-rounds.
Work floor_work(const kernel::Target& target, model::IndexForm index, std::int64_t horizon);

}  // namespace dbandit::bench
