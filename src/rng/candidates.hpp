#pragma once

#include <cstdint>
#include <span>

#include "core/int128.hpp"

/// When a conversion can happen at all. The largest rate of a problem lies within (2^−(k+1), 2^−k]: of 64 rounds those are candidates whose
/// bit is set in w_1 & … & w_k, each with a chance of exactly 2^−k. A candidate has a mark of 64 bits, and the arm pulled converts iff the
/// mark is below θ 2^(64+k): Bernoulli(θ) without floating point, for every arm by the same mark, so that a better arm converts whenever a
/// worse one would. Any round can be looked up without those before it.
namespace dbandit::rng {

struct Candidates {
  static constexpr int kRounds = 64;  ///< of a mask: round t is bit t mod 64 of block t / 64

  std::uint64_t seed = 0;
  int halvings = 0;  ///< k; all there are where no arm ever converts

  static Candidates of(std::uint64_t seed, std::span<const double> rates);

  /// The candidates of a block of rounds.
  [[nodiscard]] std::uint64_t mask(std::uint64_t replica, std::uint64_t block) const;
  [[nodiscard]] bool at(std::uint64_t replica, std::uint64_t round) const { return mask(replica, round / kRounds) >> round % kRounds & 1; }
  /// A candidate's: word 0 of its outcome.
  [[nodiscard]] std::uint64_t mark(std::uint64_t replica, std::uint64_t round) const;
  /// Marks below ⌈θ 2^(64+k)⌉ convert, which may be all of them: 2^64.
  [[nodiscard]] Uint128 limit(double rate) const;
  /// C of the round on an arm of that rate.
  [[nodiscard]] bool converts(std::uint64_t replica, std::uint64_t round, double rate) const {
    return at(replica, round) && mark(replica, round) < limit(rate);
  }
};

}  // namespace dbandit::rng
