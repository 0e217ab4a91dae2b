#pragma once

#include <cstddef>
#include <cstdint>

#include "dbandit/model/experiment.hpp"
#include "kernel/world/draws.hpp"

/// The least that a replica-round of d-ucb and d-klucb could need, K = 3. What is in it, for every replica and round:
///   - its share of the world: a bit of the candidates' masks, and for a candidate a Philox call, whose mark meets θ of the arm played;
///   - three indices from N, w, S and the slope of the numerator, all in L1, in the form that needs no division (policy/largest.hpp);
///   - their largest;
///   - one update: N and the scaled deficit w of the arm played, √(N/2) for d-ucb, S where the arm converted, and for d-klucb the tangent
///   of
///     h(S, ·) where S moved. The deficits are rescaled every 64 rounds, the tangents renewed whenever t has grown by a hundredth.
/// What is not: delays and their logarithms, the calendar, the ring of the window and the pulls that leave it, ties and the certificate
/// that tells them, the exact comparison, the realised regret, the records. Conversions are seen at once.
/// One pass over the block does it all, with fused multiply-add where the CPU has it.
namespace dbandit::bench {

struct FloorState {
  static constexpr std::size_t kArms = 3;
  static constexpr int kPeriod = 64;                   ///< rounds between two rescalings of the deficits
  std::size_t lanes = 0;                               ///< a multiple of 128
  kernel::Draws draws;                                 ///< without delays
  double power[kPeriod + 1] = {}, pull[kPeriod] = {};  ///< ρ^j, ρ^−j
  const double* beta = nullptr;                        ///< [round] β(t), or √β(t) for d-ucb
  std::int64_t span_end = 0;                           ///< the round in which the tangents are renewed
  double span_beta = 0;                                ///< β at which they touch
  double* pulls = nullptr;                             ///< [arm][lane] N
  double* deficit = nullptr;                           ///< w: Ñ = N − ρ^j w
  double* conversions = nullptr;                       ///< S
  double* base = nullptr;                              ///< numerator = base + gain x; S itself for d-ucb
  double* gain = nullptr;
  double* action = nullptr;          ///< [lane]
  std::uint32_t* changed = nullptr;  ///< cells whose S moved in this round, at most one per lane
  double* touched = nullptr;         ///< [3][lane] their S, gathered, then their tangents
};

/// Advances all lanes through rounds first..last, first > 1. One per instruction set.
using Floor = void (*)(FloorState&, std::int64_t first, std::int64_t last);

}  // namespace dbandit::bench
