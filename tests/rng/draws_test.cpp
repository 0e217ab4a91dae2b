#include "rng/draws.hpp"

#include <Random123/threefry.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace dbandit::rng {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
constexpr std::uint64_t kAll52 = (std::uint64_t{1} << 52) - 1;

/// A key word as the two arguments that make it up.
Words at_key(std::uint64_t key0, std::uint64_t key1, std::uint64_t counter0, std::uint64_t counter1) {
  return words(key0, static_cast<Stream>(key1 & 0xff), key1 >> 8, counter0, counter1);
}

TEST(Words, AreTheKnownAnswersOfThreefry2x64With20Rounds) {
  EXPECT_EQ(at_key(0, 0, 0, 0), (Words{0xc2b6e3a8c2c69865, 0x6f81ed42f350084d}));
  EXPECT_EQ(at_key(kOnes, kOnes, kOnes, kOnes), (Words{0xe02cb7c4d95d277a, 0xd06633d0893b8b68}));
  EXPECT_EQ(at_key(0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x243f6a8885a308d3, 0x13198a2e03707344),
            (Words{0x263c7d30bb0f0af1, 0x56be8361d3311526}));
}

/// Addresses spread over all magnitudes, from Random123 itself: what it gives here does not matter, only that it is varied.
struct Address {
  std::uint64_t seed, replica, round, arm;
};
std::vector<Address> varied_addresses(std::size_t count) {
  std::vector<Address> addresses;
  r123::Threefry4x64 generator;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = generator({{i, 0, 0, 0}}, {{7, 0, 0, 0}});
    addresses.push_back({bits[0] >> (i % 64), bits[1] >> (i / 7 % 64), bits[2] >> (i / 11 % 64), bits[3] >> (8 + i / 13 % 56)});
  }
  return addresses;
}

/// The 16 bytes at an address by Random123's own class. Lanes are then read by memcpy: that is what little-endian order means.
template <class Lane>
std::array<Lane, 16 / sizeof(Lane)> random123(std::uint64_t seed, std::uint64_t stream, std::uint64_t arm, std::uint64_t counter0,
                                              std::uint64_t counter1) {
  static_assert(std::endian::native == std::endian::little);
  const auto out = r123::Threefry2x64_R<20>()({{counter0, counter1}}, {{seed, stream + 256 * arm}});
  std::array<Lane, 16 / sizeof(Lane)> lanes;
  std::memcpy(lanes.data(), &out, sizeof(lanes));
  return lanes;
}

TEST(Draws, AreRandom123sAtTheDocumentedAddresses) {
  for (const auto& [seed, replica, round, arm] : varied_addresses(20'000)) {
    const auto leading = random123<std::uint16_t>(seed, 1, 0, replica / 8, round);
    const auto event = random123<std::uint64_t>(seed, 2, 0, replica, round);
    const auto tie = random123<std::uint32_t>(seed, 3, arm, replica / 4, round);
    const auto start = random123<std::uint64_t>(seed, 4, arm, replica, 0);
    const auto order = random123<std::uint64_t>(seed, 6, arm, replica, 0);
    const auto policy = random123<std::uint64_t>(seed, 5, arm, replica, round);

    ASSERT_EQ(words(seed, Stream::policy, arm, replica, round), policy);
    ASSERT_EQ(conversion_bits(seed, replica, round), leading[replica % 8] * (std::uint64_t{1} << 36) + event[1] / (std::uint64_t{1} << 28));
    ASSERT_EQ(delay_bits(seed, replica, round), event[0] / (std::uint64_t{1} << 12));
    ASSERT_EQ(tie_key(seed, replica, round, arm), tie[replica % 4]);
    ASSERT_EQ(start_key(seed, replica, arm), start[0]);
    ASSERT_EQ(arm_order_key(seed, replica, arm), order[0]);
  }
}

TEST(Draws, ChangeWithEveryComponentOfTheAddress) {
  for (const auto& [seed, replica, round, arm] : varied_addresses(1'000)) {
    EXPECT_NE(conversion_bits(seed, replica, round), conversion_bits(seed + 1, replica, round));
    EXPECT_NE(conversion_bits(seed, replica, round), conversion_bits(seed, replica + 1, round));
    EXPECT_NE(conversion_bits(seed, replica, round), conversion_bits(seed, replica, round + 1));
    EXPECT_NE(delay_bits(seed, replica, round), delay_bits(seed + 1, replica, round));
    EXPECT_NE(delay_bits(seed, replica, round), delay_bits(seed, replica + 1, round));
    EXPECT_NE(delay_bits(seed, replica, round), delay_bits(seed, replica, round + 1));
    EXPECT_NE(tie_key(seed, replica, round, arm), tie_key(seed + 1, replica, round, arm));
    EXPECT_NE(tie_key(seed, replica, round, arm), tie_key(seed, replica + 1, round, arm));
    EXPECT_NE(tie_key(seed, replica, round, arm), tie_key(seed, replica, round + 1, arm));
    EXPECT_NE(tie_key(seed, replica, round, arm), tie_key(seed, replica, round, arm + 1));
    EXPECT_NE(start_key(seed, replica, arm), start_key(seed + 1, replica, arm));
    EXPECT_NE(start_key(seed, replica, arm), start_key(seed, replica + 1, arm));
    EXPECT_NE(start_key(seed, replica, arm), start_key(seed, replica, arm + 1));
  }
}

TEST(Streams, NeverShareACall) {
  std::set<Words> seen;
  std::size_t addresses = 0;
  for (const auto stream : {Stream::conversion, Stream::event, Stream::tie, Stream::start, Stream::policy, Stream::arm_order}) {
    for (std::uint64_t arm = 0; arm < 20; ++arm) {
      for (std::uint64_t replica = 0; replica < 20; ++replica) {
        for (std::uint64_t round = 0; round < 20; ++round, ++addresses) seen.insert(words(1, stream, arm, replica, round));
      }
    }
  }
  EXPECT_EQ(seen.size(), addresses);
}

TEST(Bits, AreFiftyTwo) {
  std::uint64_t conversions_or = 0, conversions_and = kOnes, delays_or = 0, delays_and = kOnes;
  for (std::uint64_t replica = 0; replica < 200; ++replica) {
    conversions_or |= conversion_bits(3, replica, 1);
    conversions_and &= conversion_bits(3, replica, 1);
    delays_or |= delay_bits(3, replica, 1);
    delays_and &= delay_bits(3, replica, 1);
  }
  EXPECT_EQ(conversions_or, kAll52);
  EXPECT_EQ(conversions_and, 0u);
  EXPECT_EQ(delays_or, kAll52);
  EXPECT_EQ(delays_and, 0u);
}

TEST(OpenUniform, IsExactAndStaysOffBothEnds) {
  EXPECT_EQ(open_uniform(0), 0x1p-53);
  EXPECT_EQ(open_uniform(kAll52), 1 - 0x1p-53);
  for (std::uint64_t u = 0; u < kAll52; u = 3 * u + 1) {
    EXPECT_EQ(open_uniform(u), std::ldexp(static_cast<double>(2 * u + 1), -53));
    EXPECT_LT(open_uniform(u), open_uniform(u + 1));
  }
}

TEST(ConversionThreshold, IsExactAtTheEdges) {
  EXPECT_EQ(conversion_threshold(0), 0u);
  EXPECT_EQ(conversion_threshold(-0.0), 0u);
  EXPECT_EQ(conversion_threshold(1), kAll52 + 1);
  EXPECT_EQ(conversion_threshold(-1), 0u);  // outside [0, 1] it is the nearer end
  EXPECT_EQ(conversion_threshold(2), kAll52 + 1);
  EXPECT_EQ(conversion_threshold(0x1p-53), 0u);  // the least uniform is not below itself
  EXPECT_EQ(conversion_threshold(std::nextafter(0x1p-53, 1)), 1u);
  EXPECT_EQ(conversion_threshold(std::numeric_limits<double>::denorm_min()), 0u);
  EXPECT_EQ(conversion_threshold(std::nextafter(0x1p-54, 0)), 0u);
  EXPECT_EQ(conversion_threshold(0x1p-52), 1u);
  EXPECT_EQ(conversion_threshold(0.5), std::uint64_t{1} << 51);
  EXPECT_EQ(conversion_threshold(std::nextafter(0.5, 0)), std::uint64_t{1} << 51);
  EXPECT_EQ(conversion_threshold(std::nextafter(0.5, 1)), std::uint64_t{1} << 51);
  EXPECT_EQ(conversion_threshold(0.5 + 0x1p-52), (std::uint64_t{1} << 51) + 1);
  EXPECT_EQ(conversion_threshold(1 - 0x1p-53), kAll52);  // the greatest uniform is not below itself
}

TEST(ConversionThreshold, DecidesLikeTheUniformItself) {
  for (const auto& [seed, replica, round, _] : varied_addresses(20'000)) {
    const double theta = open_uniform(seed & kAll52);  // of all magnitudes
    const std::uint64_t threshold = conversion_threshold(theta);
    for (const std::uint64_t u : {threshold - 1, threshold, threshold + 1, conversion_bits(seed, replica, round)}) {
      if (u > kAll52) continue;
      ASSERT_EQ(u < threshold, open_uniform(u) < theta) << u << ' ' << theta;
    }
    const double odd = std::nextafter(theta, 0);
    const std::uint64_t below = conversion_threshold(odd);
    ASSERT_TRUE((below == 0 || open_uniform(below - 1) < odd) && open_uniform(below) >= odd);
  }
}

}  // namespace
}  // namespace dbandit::rng
