#pragma once

#include "dbandit/kernel/target.hpp"
#include "kernel/leap/leap.hpp"
#include "kernel/policy/policy.hpp"
#include "kernel/regret.hpp"
#include "kernel/world/world.hpp"

namespace dbandit::kernel {

/// A block of replicas: its books, the three parts that a round is composed of, what is recorded, and what leaping needs. A part sees the
/// books and its own state.
struct State {
  Books books;
  World world;
  Exposure exposure;
  Policy policy;
  Regret regret;
  Leap leap;
  const char* instruction_set = nullptr;         ///< that the last rounds were compiled for
  std::uint64_t ticks[kStageNames.size()] = {};  ///< by Stage, where a profile is asked for

  /// How long every row is.
  void size(const Setup& setup, const model::Block& block);
  void declare(Rows& rows, const Setup& setup);
  /// What is not zero before round 1.
  void fill(const Setup& setup);
};

/// Advances a block through rounds first..last. One per instruction set.
using Rounds = void (*)(State&, std::int64_t first, std::int64_t last);
/// Takes the replicas of a block from where the rounds engine left them to the horizon; `first_row`: what is recorded next.
using Leaping = void (*)(State&, const Recording&, std::size_t first_row);

}  // namespace dbandit::kernel
