#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

/// The blocks of several plans in one order, in which every plan is at the same share of its way at any time: so the share of
/// blocks that is done is the share of the time that has passed, and a job that is stopped has something of everything.
class Rota {
 public:
  struct Turn {
    std::size_t plan = 0;
    std::size_t block = 0;
  };
  explicit Rota(std::vector<Plan> plans);
  [[nodiscard]] std::size_t size() const { return before(rounds_); }
  /// Whose turn it is at place `item` < size().
  [[nodiscard]] Turn turn(std::size_t item) const;

 private:
  /// How many blocks of a plan, and of all, come before a round; each plan has at most one in it.
  [[nodiscard]] std::size_t before(const Plan& plan, std::size_t round) const { return round * plan.blocks / rounds_; }
  [[nodiscard]] std::size_t before(std::size_t round) const;

  std::vector<Plan> plans_;
  std::size_t rounds_ = 1;  ///< the blocks of the longest plan
};

}  // namespace dbandit::sim
