#include "rng/draws.hpp"

#include <Random123/threefry.h>

#include <cmath>

namespace dbandit::rng {

namespace {

/// Bits [width·lane, width·(lane+1)) of the 128, word 0 being the low half. Lanes never straddle the words.
template <unsigned width>
constexpr std::uint64_t lane_of(const Words& words, std::uint64_t lane) {
  constexpr std::uint64_t per_word = 64 / width;
  constexpr std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  return (words[lane / per_word] >> (width * (lane % per_word))) & mask;
}

}  // namespace

Words words(std::uint64_t seed, Stream stream, std::uint64_t arm, std::uint64_t counter0, std::uint64_t counter1) {
  const threefry2x64_ctr_t counter = {{counter0, counter1}};
  const threefry2x64_key_t key = {{seed, static_cast<std::uint64_t>(stream) | arm << 8}};
  const threefry2x64_ctr_t out = threefry2x64_R(20, counter, key);
  return {out.v[0], out.v[1]};
}

std::uint64_t conversion_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round) {
  const std::uint64_t leading = lane_of<16>(words(seed, Stream::conversion, 0, replica / 8, round), replica % 8);
  const std::uint64_t trailing = words(seed, Stream::event, 0, replica, round)[1] >> 28;
  return leading << 36 | trailing;
}

std::uint64_t delay_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round) {
  return words(seed, Stream::event, 0, replica, round)[0] >> 12;
}

std::uint32_t tie_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm) {
  return static_cast<std::uint32_t>(lane_of<32>(words(seed, Stream::tie, arm, replica / 4, round), replica % 4));
}

std::uint64_t start_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm) {
  return words(seed, Stream::start, arm, replica, 0)[0];
}

std::uint64_t arm_order_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm) {
  return words(seed, Stream::arm_order, arm, replica, 0)[0];
}

std::uint64_t conversion_threshold(double theta) {
  if (!(theta > 0)) return 0;
  if (theta >= 1) return std::uint64_t{1} << 52;
  // (u + 1/2) 2^-52 < θ  ⇔  u < θ 2^52 − 1/2. The product is a change of exponent; from 1/4 up the difference is a multiple
  // of the product's last place and no larger, hence exact too; below 1/4 it stays in [−1/2, −1/4), whose ceiling is 0.
  return static_cast<std::uint64_t>(std::ceil(theta * 0x1p52 - 0.5));
}

}  // namespace dbandit::rng
