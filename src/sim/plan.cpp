#include "dbandit/sim/plan.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

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
  const std::size_t lanes = lanes_for(spec->theta.size());
  const auto replicas = static_cast<std::uint64_t>(spec->replicas);
  return {.block_lanes = lanes, .blocks = (replicas + lanes - 1) / lanes, .replicas = replicas};
}

model::Block Plan::block(std::size_t index) const {
  assert(index < blocks);
  const std::uint64_t first = index * block_lanes;
  return {.first = first, .count = std::min<std::uint64_t>(block_lanes, replicas - first)};
}

Rota::Rota(std::vector<Plan> plans) : plans_(std::move(plans)) {
  for (const Plan& plan : plans_) rounds_ = std::max(rounds_, plan.blocks);
}

std::size_t Rota::before(std::size_t round) const {
  std::size_t blocks = 0;
  for (const Plan& plan : plans_) blocks += before(plan, round);
  return blocks;
}

Rota::Turn Rota::turn(std::size_t item) const {
  assert(item < size());
  std::size_t round = 0;  // the last one with before(round) ≤ item
  for (std::size_t beyond = rounds_; beyond - round > 1;) {
    const std::size_t middle = round + (beyond - round) / 2;
    (before(middle) <= item ? round : beyond) = middle;
  }
  std::size_t left = item - before(round);
  for (std::size_t plan = 0;; ++plan) {
    assert(plan < plans_.size());
    const std::size_t first = before(plans_[plan], round), blocks = before(plans_[plan], round + 1) - first;
    if (left < blocks) return {.plan = plan, .block = first + left};
    left -= blocks;
  }
}

}  // namespace dbandit::sim
