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
  std::span<const double> pending;      ///< pulls that may still convert: none of their conversions seen, window not over
  std::uint64_t first = 0;              ///< replica of lane 0
};

/// Replicas first, …, first + lanes − 1 before their first round, for a policy that keeps a state of its own.
struct GuestStart {
  std::size_t arms = 0, lanes = 0;
  std::uint64_t seed = 0, first = 0;
};

/// What a round told, the first K rounds included. Arms are numbered as in GuestView.
struct GuestRound {
  std::int64_t round = 0;
  std::size_t arms = 0, lanes = 0;
  std::uint64_t first = 0;
  std::span<const std::uint16_t> played;     ///< [lane]
  std::span<const std::uint16_t> disclosed;  ///< [arm][lane] conversions that were seen in this round
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
  std::function<void(const GuestStart&)> start = {};    ///< before the first round of some replicas; may be empty
  std::function<void(const GuestRound&)> observe = {};  ///< after every round; may be empty
};

/// A uniform of (0, 1) for a guest that randomises, a pure function of its address; stream < 2^24. What is drawn from it depends neither
/// on threads nor on how replicas are put into blocks, and no policy of the catalogue draws the same.
double guest_uniform(std::uint64_t seed, std::uint64_t replica, std::int64_t round, std::uint32_t stream);

}  // namespace dbandit::model
