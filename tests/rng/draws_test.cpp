#include "rng/draws.hpp"

#include <Random123/philox.h>
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

/// Four counter words as the arguments that make them up.
Words at_counter(std::uint64_t key, std::uint64_t c0, std::uint64_t c1, std::uint64_t c2, std::uint64_t c3) {
  return words(key, static_cast<Stream>(c3 & 0xff), c3 >> 8, c0 | c1 << 32, c2);
}

// Random123's kat_vectors, "philox4x32 10".
TEST(Words, AreTheKnownAnswersOfPhilox4x32With10Rounds) {
  constexpr std::uint64_t ones = 0xffffffff;
  EXPECT_EQ(at_counter(0, 0, 0, 0, 0), (Words{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c}));
  EXPECT_EQ(at_counter(kOnes, ones, ones, ones, ones), (Words{0x41c83b0e408f276d, 0x6d5451fda20bc7c6}));
  EXPECT_EQ(at_counter(0x299f31d0a4093822, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
            (Words{0x94fdccebd16cfe09, 0x24126ea15001e420}));
}

/// Addresses spread over all magnitudes, from another generator: what it gives here does not matter, only that it is varied.
struct Address {
  std::uint64_t seed, replica, round, arm;
};
std::vector<Address> varied_addresses(std::size_t count) {
  std::vector<Address> addresses;
  r123::Threefry4x64 generator;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = generator({{i, 0, 0, 0}}, {{7, 0, 0, 0}});
    addresses.push_back({bits[0] >> (i % 64), bits[1] >> (i / 7 % 64), bits[2] >> (32 + i / 11 % 32), bits[3] >> (40 + i / 13 % 24)});
  }
  return addresses;
}

/// The 16 bytes at an address by Random123's own class. Lanes are then read by memcpy: that is what little-endian order means.
template <class Lane>
std::array<Lane, 16 / sizeof(Lane)> random123(std::uint64_t seed, std::uint64_t stream, std::uint64_t index, std::uint64_t replica,
                                              std::uint64_t round) {
  static_assert(std::endian::native == std::endian::little);
  const auto word = [](std::uint64_t value, int shift) { return static_cast<std::uint32_t>(value >> shift); };
  const auto out = r123::Philox4x32_R<10>()({{word(replica, 0), word(replica, 32), word(round, 0), word(stream + 256 * index, 0)}},
                                            {{word(seed, 0), word(seed, 32)}});
  std::array<Lane, 16 / sizeof(Lane)> lanes;
  std::memcpy(lanes.data(), &out, sizeof(lanes));
  return lanes;
}

TEST(Draws, AreRandom123sAtTheDocumentedAddresses) {
  for (const auto& [seed, replica, round, arm] : varied_addresses(20'000)) {
    const auto outcome = random123<std::uint64_t>(seed, 2, 0, replica, round);
    const auto tie = random123<std::uint32_t>(seed, 3, arm, replica / 4, round);
    const auto start = random123<std::uint64_t>(seed, 4, arm, replica, 0);
    const auto order = random123<std::uint64_t>(seed, 6, arm, replica, 0);

    ASSERT_EQ(words(seed, Stream::candidates, arm, replica, round), random123<std::uint64_t>(seed, 1, arm, replica, round));
    ASSERT_EQ(words(seed, Stream::policy, arm, replica, round), random123<std::uint64_t>(seed, 5, arm, replica, round));
    ASSERT_EQ(delay_bits(seed, replica, round), outcome[1] / (std::uint64_t{1} << 12));
    ASSERT_EQ(tie_key(seed, replica, round, arm), tie[replica % 4]);
    ASSERT_EQ(start_key(seed, replica, arm), start[0]);
    ASSERT_EQ(arm_order_key(seed, replica, arm), order[0]);
  }
}

TEST(Draws, ChangeWithEveryComponentOfTheAddress) {
  for (const auto& [seed, replica, round, arm] : varied_addresses(1'000)) {
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
  for (const auto stream : {Stream::candidates, Stream::outcome, Stream::tie, Stream::start, Stream::policy, Stream::arm_order}) {
    for (std::uint64_t arm = 0; arm < 20; ++arm) {
      for (std::uint64_t replica = 0; replica < 20; ++replica) {
        for (std::uint64_t round = 0; round < 20; ++round, ++addresses) seen.insert(words(1, stream, arm, replica, round));
      }
    }
  }
  EXPECT_EQ(seen.size(), addresses);
}

TEST(Bits, OfADelayAreFiftyTwo) {
  std::uint64_t any = 0, all = kOnes;
  for (std::uint64_t replica = 0; replica < 200; ++replica) any |= delay_bits(3, replica, 1), all &= delay_bits(3, replica, 1);
  EXPECT_EQ(any, kAll52);
  EXPECT_EQ(all, 0u);
}

TEST(OpenUniform, IsExactAndStaysOffBothEnds) {
  EXPECT_EQ(open_uniform(0), 0x1p-53);
  EXPECT_EQ(open_uniform(kAll52), 1 - 0x1p-53);
  for (std::uint64_t u = 0; u < kAll52; u = 3 * u + 1) {
    EXPECT_EQ(open_uniform(u), std::ldexp(static_cast<double>(2 * u + 1), -53));
    EXPECT_LT(open_uniform(u), open_uniform(u + 1));
  }
}

}  // namespace
}  // namespace dbandit::rng
