#include "rng/draws.hpp"

#include <Random123/philox.h>

namespace dbandit::rng {

Words words(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint64_t replica, std::uint64_t round) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const philox4x32_ctr_t counter = {{low(replica), low(replica >> 32), low(round), static_cast<std::uint32_t>(stream) | low(index) << 8}};
  const philox4x32_key_t key = {{low(seed), low(seed >> 32)}};
  const philox4x32_ctr_t out = philox4x32_R(10, counter, key);
  return {out.v[0] | static_cast<std::uint64_t>(out.v[1]) << 32, out.v[2] | static_cast<std::uint64_t>(out.v[3]) << 32};
}

std::uint64_t delay_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round) {
  return words(seed, Stream::outcome, 0, replica, round)[1] >> 12;
}

std::uint32_t tie_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm) {
  const Words call = words(seed, Stream::tie, arm, replica / 4, round);
  return static_cast<std::uint32_t>(call[replica % 4 / 2] >> (32 * (replica % 2)));
}

std::uint64_t start_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm) {
  return words(seed, Stream::start, arm, replica, 0)[0];
}

std::uint64_t arm_order_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t arm) {
  return words(seed, Stream::arm_order, arm, replica, 0)[0];
}

}  // namespace dbandit::rng
