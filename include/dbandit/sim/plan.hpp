#pragma once

#include <cstddef>
#include <cstdint>

#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// The blocks of replicas of a run, in the order in which their statistics are folded. A function of the spec alone:
/// thread count, rank count and target are absent, so they cannot change a byte.
struct Plan {
  std::size_t block_lanes = 0;
  std::size_t blocks = 0;
  std::uint64_t replicas = 0;
  [[nodiscard]] model::Block block(std::size_t index) const;
};

Plan plan(const Spec& spec);

}  // namespace dbandit::sim
