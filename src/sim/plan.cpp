#include "dbandit/sim/plan.hpp"

#include <algorithm>
#include <cassert>

namespace dbandit::sim {

namespace {

/// Lanes of a block: 128 fill the vectors of every target; beyond 16 arms fewer, so that the state of a block, which grows
/// with lanes times arms, stays in the nearest caches. A multiple of kLaneGroup, as Block::first must be.
std::size_t lanes_for(std::size_t arms) {
  std::size_t lanes = 128;
  for (std::size_t fitting = 16; fitting < arms && lanes > 16; fitting *= 2) lanes /= 2;
  return lanes;
}
static_assert(16 % kLaneGroup == 0);

}  // namespace

Plan plan(const Spec& spec) {
  const std::size_t lanes = lanes_for(spec.theta.size());
  const auto replicas = static_cast<std::uint64_t>(spec.replicas);
  return {.block_lanes = lanes, .blocks = (replicas + lanes - 1) / lanes, .replicas = replicas};
}

model::Block Plan::block(std::size_t index) const {
  assert(index < blocks);
  const std::uint64_t first = index * block_lanes;
  return {.first = first, .count = std::min<std::uint64_t>(block_lanes, replicas - first)};
}

}  // namespace dbandit::sim
