#pragma once

#include <array>
#include <cstdint>

/// Every random number is a pure function of its address (seed, stream, replica, round, arm): the counter of a
/// Threefry-2x64-20 call *is* the address. Thread, block, SIMD width, rank and policy are absent from it, so every
/// policy meets the same world, and no schedule can change a draw.
///
/// Layout. Key = {seed, stream | arm << 8}. One call yields 128 bits and is shared where fewer are needed:
///
///   conversion  counter {replica / 8, round}: 16 leading bits for each of 8 neighbouring replicas (little-endian order)
///   event       counter {replica, round}: word 0 is the delay's, word 1 the 36 trailing bits of the conversion's uniform
///   tie         counter {replica / 4, round}, arm in the key: a 32-bit key for each of 4 neighbouring replicas
///   start       counter {replica, 0}, arm in the key: word 0 is the arm's key in the start order
///   policy      counter {replica, round}: for policies that randomise
///   arm order   counter {replica, 0}, arm in the key: word 0 is the arm's key in the order in which a policy from outside sees the arms
///
/// The trailing bits of a conversion are needed only when the leading 16 equal those of θ (one draw in 65 536), so the
/// fast engine pays an eighth of a call for a uniform of full precision.
namespace dbandit::rng {

enum class Stream : std::uint64_t { conversion = 1, event = 2, tie = 3, start = 4, policy = 5, arm_order = 6 };

using Words = std::array<std::uint64_t, 2>;

/// The 128 bits at an address, as Random123's scalar threefry2x64 gives them.
Words words(std::uint64_t seed, Stream stream, std::uint64_t arm, std::uint64_t counter0, std::uint64_t counter1);

/// 52 random bits u as a uniform of the open interval: (u + 1/2) 2^-52, exact in double. The least is 2^-53.
constexpr double open_uniform(std::uint64_t bits52) { return (static_cast<double>(bits52) + 0.5) * 0x1p-52; }

/// U_s of the conversion C_s = 1{U_s < θ of A_s}, as its 52 bits: the leading 16, bits [16 j, 16 j + 16) of the conversion
/// call with j = replica mod 8 (word 0 holds lanes 0..3), above the 36 top bits of word 1 of the event call.
std::uint64_t conversion_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round);
/// V_s of the delay D_s, as its 52 bits: the top of word 0 of the event call.
std::uint64_t delay_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round);
/// Bits [32 j, 32 j + 32) of the tie call, j = replica mod 4. Among tied arms the largest key wins; equal keys (2^-32): the
/// lowest arm.
std::uint32_t tie_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm);
/// Rounds 1..K play the arms by falling start key; equal keys (2^-64): the lowest arm first.
std::uint64_t start_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm);
/// A policy from outside sees the arms by falling key; equal keys (2^-64): the lowest arm first.
std::uint64_t arm_order_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm);

/// How many of the 2^52 values u have open_uniform(u) < theta: the conversion happens iff bits52 < threshold.
/// ⌈θ 2^52 − 1/2⌉ within [0, 2^52], exact for every double.
std::uint64_t conversion_threshold(double theta);

}  // namespace dbandit::rng
