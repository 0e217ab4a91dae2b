#include "sim/plan.hpp"

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
  // A regret is at most 1 a round, and so is a count of pulls.
  return {.block_lanes = lanes, .blocks = (replicas + lanes - 1) / lanes, .replicas = replicas, .grid = stats::Grid::up_to(spec->horizon)};
}

model::Block Plan::block(std::size_t index) const {
  assert(index < blocks);
  const std::uint64_t first = index * block_lanes;
  return {.first = first, .count = std::min<std::uint64_t>(block_lanes, replicas - first)};
}

Interleaving::Interleaving(std::vector<std::size_t> lengths) : lengths_(std::move(lengths)) {
  for (const std::size_t length : lengths_) rounds_ = std::max(rounds_, length);
}

std::size_t Interleaving::before(std::size_t length, std::size_t round) const {
  return static_cast<std::size_t>(Uint128{round} * length / rounds_);
}

std::size_t Interleaving::before(std::size_t round) const {
  std::size_t items = 0;
  for (const std::size_t length : lengths_) items += before(length, round);
  return items;
}

Interleaving::Place Interleaving::at(std::size_t item) const {
  assert(item < size());
  std::size_t round = 0;  // the last one with before(round) ≤ item
  for (std::size_t beyond = rounds_; beyond - round > 1;) {
    const std::size_t middle = round + (beyond - round) / 2;
    (before(middle) <= item ? round : beyond) = middle;
  }
  std::size_t left = item - before(round);
  for (std::size_t list = 0;; ++list) {
    assert(list < lengths_.size());
    const std::size_t first = before(lengths_[list], round), items = before(lengths_[list], round + 1) - first;
    if (left < items) return {.list = list, .index = first + left};
    left -= items;
  }
}

}  // namespace dbandit::sim
