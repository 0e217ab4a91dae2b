#pragma once

#include <array>
#include <cstdint>

/// Every random number is a pure function of its address (seed, stream, replica, round, arm): the counter of a Philox 4x32-10 call *is*
/// the address. Thread, block, SIMD width, rank, engine and policy are absent from it, so every policy meets the same world, and no
/// schedule can change a draw.
///
/// Layout. Key = seed. Counter, four words of 32 bits = {replica, replica >> 32, round, stream | index << 8}. One call yields 128 bits:
///
///   candidates  round: block of 64 rounds, index j: the words w_{2j+1} and w_{2j+2} (candidates.hpp)
///   outcome     word 0 is the mark of the round's candidate, word 1 the uniform of its delay
///   tie         replica / 4, index: arm: a 32-bit key for each of 4 neighbouring replicas
///   start       round 0, index: arm: word 0 is the arm's key in the start order
///   policy      replica / 4, index: arm, and arm + 2^23: for policies that randomise (gamma.hpp); a second variate of an arm: + 2^22
///   arm order   round 0, index: arm: word 0 is the arm's key in the order in which a policy from outside sees the arms
///   guest       index: a stream of its choice: the top 52 bits of word 0 are the uniform of a policy from outside
namespace dbandit::rng {

enum class Stream : std::uint32_t { candidates = 1, outcome = 2, tie = 3, start = 4, policy = 5, arm_order = 6, guest = 7 };

using Words = std::array<std::uint64_t, 2>;

/// The 128 bits at an address, as Random123's scalar philox4x32 gives them, little-endian; round < 2^32, index < 2^24.
Words words(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint64_t replica, std::uint64_t round);

/// 52 random bits u as a uniform of the open interval: (u + 1/2) 2^-52, exact in double. The least is 2^-53.
constexpr double open_uniform(std::uint64_t bits52) { return (static_cast<double>(bits52) + 0.5) * 0x1p-52; }

/// V_s of the delay D_s, as its 52 bits: the top of word 1 of the outcome's call.
std::uint64_t delay_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round);
/// Bits [32 j, 32 j + 32) of the tie call, j = replica mod 4. Among tied arms the largest key wins; equal keys (2^-32): the lowest arm.
std::uint32_t tie_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm);
/// Rounds 1..K play the arms by falling start key; equal keys (2^-64): the lowest arm first.
std::uint64_t start_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm);
/// A policy from outside sees the arms by falling key; equal keys (2^-64): the lowest arm first.
std::uint64_t arm_order_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm);

}  // namespace dbandit::rng
