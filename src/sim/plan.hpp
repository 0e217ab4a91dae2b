#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec.hpp"
#include "sim/coverage.hpp"
#include "stats/exact_sums.hpp"

namespace dbandit::sim {

/// The blocks of replicas of a run, and the grid on which their recorded values are summed. A function of the spec alone: thread count,
/// rank count and target are absent, so they cannot change a byte.
struct Plan {
  std::size_t block_lanes = 0;
  std::size_t blocks = 0;
  std::uint64_t replicas = 0;
  stats::Grid grid;
  [[nodiscard]] model::Block block(std::size_t index) const;
  /// Blocks that have all their lanes. A shorter one at the end is kept by itself, since more replicas would lengthen it.
  [[nodiscard]] std::size_t whole_blocks() const { return replicas / block_lanes; }
  /// Contiguous blocks, as equal parts as can be.
  [[nodiscard]] Interval part(Shard shard) const { return {blocks * (shard.index - 1) / shard.count, blocks * shard.index / shard.count}; }
};

Plan plan(const Spec& spec);

/// Proportional interleaving of several lists: at any place every list is at the same share of its length. So the share of items that is
/// done is the share of the time that has passed, and a job that is stopped has something of every run.
class Interleaving {
 public:
  struct Place {
    std::size_t list = 0;
    std::size_t index = 0;  ///< in that list
  };
  explicit Interleaving(std::vector<std::size_t> lengths);
  [[nodiscard]] std::size_t size() const { return before(rounds_); }
  [[nodiscard]] Place at(std::size_t item) const;

 private:
  /// How many items of a list, and of all, come before a round; each list has at most one in it.
  [[nodiscard]] std::size_t before(std::size_t length, std::size_t round) const;
  [[nodiscard]] std::size_t before(std::size_t round) const;

  std::vector<std::size_t> lengths_;
  std::size_t rounds_ = 1;  ///< the longest length
};

}  // namespace dbandit::sim
