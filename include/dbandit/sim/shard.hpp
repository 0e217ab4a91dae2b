#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "dbandit/sim/plan.hpp"

namespace dbandit::sim {

/// The index-th of count parts of a plan, 1 ≤ index ≤ count: contiguous blocks, as equal as can be. A job on several machines that do not
/// know of each other: each keeps the sums of its part in a checkpoint, and `merge_checkpoints` adds them up.
struct Shard {
  std::size_t index = 1, count = 1;
  [[nodiscard]] std::size_t begin(const Plan& plan) const { return plan.blocks * (index - 1) / count; }
  [[nodiscard]] std::size_t end(const Plan& plan) const { return plan.blocks * index / count; }
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// "2/5". None when it is not one.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace dbandit::sim
