#include "rng/draws.hpp"

#include <gtest/gtest.h>

#include <random>

#include "dbandit/core/aligned.hpp"
#include "kernel/targets.hpp"

namespace dbandit::testing {
namespace {

class Draws : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Kernel, Draws, EachTarget(), kTargetName);

// 20 000 addresses of each stream, in runs of every length up to 100, some of which wrap around 2^64.
TEST_P(Draws, AreTheScalarWordsBitForBitAtEveryAddress) {
  std::mt19937_64 random(11);
  AlignedVector<std::uint64_t> low(104), high(104);
  for (const auto stream : {rng::Stream::candidates, rng::Stream::outcome, rng::Stream::tie, rng::Stream::start, rng::Stream::policy}) {
    for (std::size_t length = 1, drawn = 0; drawn < 20'000; drawn += length, length = length % 100 + 1) {
      const std::uint64_t seed = random(), arm = random() % 65536, first = length % 7 == 0 ? -(length / 2) : random() >> (length % 64);
      const std::uint64_t round = random() >> (32 + random() % 32);
      GetParam().draw(seed, stream, arm, first, round, low.data(), high.data(), length);
      for (std::size_t i = 0; i < length; ++i) {
        const rng::Words expected = rng::words(seed, stream, arm, first + i, round);
        ASSERT_EQ(low[i], expected[0]) << "stream " << static_cast<int>(stream) << " counter " << first + i << ", " << round;
        ASSERT_EQ(high[i], expected[1]) << "stream " << static_cast<int>(stream) << " counter " << first + i << ", " << round;
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
