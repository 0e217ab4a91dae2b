#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace dbandit::model {

/// What a policy given as a function knows of many replicas after round t − 1. Rows [arm][lane]; lane r is replica first + r. Every
/// replica numbers the arms in an order of its own, the same in all rounds, so that it does not matter in which order a problem lists
/// them: a policy that gives ties to the first arm must not be rewarded where that is the best.
struct GuestView {
  std::int64_t round = 0;  ///< t, the round to decide
  std::size_t arms = 0;
  std::size_t lanes = 0;
  std::span<const double> pulls;        ///< N_k
  std::span<const double> exposure;     ///< Ñ_k (§5.1)
  std::span<const double> conversions;  ///< S_k
};

/// Fills in an index for every arm and lane, [arm][lane], arms numbered as it sees them. The largest is played; those within kTie of it
/// tie, and the replica's own stream decides, as it does for every policy. Not asked in rounds 1 … K, which play each arm once. May be
/// called by several threads at once, each for replicas of its own.
using Choose = std::function<void(const GuestView& view, std::span<double> indices)>;

struct Guest {
  std::string name;
  Choose choose;
  /// Replicas that it is asked about at once; 0: those of a block. A call into Python costs the same for one as for thousands.
  std::size_t replicas_at_once = 0;
};

}  // namespace dbandit::model
