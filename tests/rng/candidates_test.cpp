#include "rng/candidates.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/chi_square.hpp"
#include "rng/draws.hpp"

namespace dbandit::rng {
namespace {

Candidates candidates_of(double highest) { return Candidates::of(11, std::vector{highest / 3, highest}); }

TEST(Candidates, AreAsRareAsTheLargestRateAllows) {
  EXPECT_EQ(candidates_of(1).halvings, 0);
  EXPECT_EQ(candidates_of(0.75).halvings, 0);
  EXPECT_EQ(candidates_of(std::nextafter(0.5, 1)).halvings, 0);
  EXPECT_EQ(candidates_of(0.5).halvings, 1);
  EXPECT_EQ(candidates_of(0.1).halvings, 3);
  EXPECT_EQ(candidates_of(0.01).halvings, 6);
  EXPECT_EQ(candidates_of(0x1p-20).halvings, 20);
  EXPECT_EQ(candidates_of(std::nextafter(0x1p-20, 0)).halvings, 20);
  EXPECT_EQ(candidates_of(std::nextafter(0x1p-20, 1)).halvings, 19);
  EXPECT_EQ(candidates_of(std::numeric_limits<double>::denorm_min()).halvings, 1074);
}

TEST(Candidates, AreTheBitsThatAllWordsOfTheirBlockShare) {
  for (const int halvings : {0, 1, 2, 3, 4, 7}) {
    const Candidates candidates{5, halvings};
    for (std::uint64_t replica = 0; replica < 50; ++replica) {
      std::uint64_t expected = ~std::uint64_t{0};
      for (int j = 0; j < halvings; ++j) expected &= words(5, Stream::candidates, static_cast<std::uint64_t>(j / 2), replica, 9)[j % 2];
      ASSERT_EQ(candidates.mask(replica, 9), expected);
      for (std::uint64_t round = 9 * 64; round < 10 * 64; ++round) ASSERT_EQ(candidates.at(replica, round), expected >> round % 64 & 1);
    }
  }
}

TEST(Candidates, EveryRoundIsOneWithTheChanceOfTheOctave) {
  constexpr std::uint64_t replicas = 4000;
  for (const int halvings : {1, 2, 3, 6}) {
    std::vector<double> counts(64, 0.0);
    for (std::uint64_t replica = 0; replica < replicas; ++replica) {
      for (std::uint64_t left = Candidates{3, halvings}.mask(replica, 2); left != 0; left &= left - 1) ++counts[std::countr_zero(left)];
    }
    // Each count is binomial: χ² with 64 degrees of freedom after scaling by the variance.
    const double chance = std::ldexp(1, -halvings), expected = replicas * chance;
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - expected) * (count - expected) / (expected * (1 - chance));
    EXPECT_LT(std::abs(chi_square - 64) / std::sqrt(128.0), 5) << halvings;
  }
}

TEST(Candidates, ThereAreNoneWhereNoArmConverts) {
  const Candidates none = Candidates::of(1, std::vector{0.0, 0.0});
  for (std::uint64_t replica = 0; replica < 200; ++replica) EXPECT_EQ(none.mask(replica, replica), 0u);
  EXPECT_TRUE(none.limit(0) == 0);
}

TEST(Candidates, ProblemsOfOneOctaveShareThem) {
  const Candidates a = candidates_of(0.11), b = candidates_of(0.07), c = candidates_of(0.06);
  std::size_t same = 0;
  for (std::uint64_t replica = 0; replica < 100; ++replica) {
    EXPECT_EQ(a.mask(replica, 1), b.mask(replica, 1));
    same += a.mask(replica, 1) == c.mask(replica, 1);
    EXPECT_EQ(c.mask(replica, 1) & ~a.mask(replica, 1), 0u) << "a rarer candidate is one of the more frequent ones";
  }
  EXPECT_LT(same, 50u);
}

TEST(Limit, IsTheRateAsAnInteger) {
  const Candidates half{1, 1}, one{1, 0}, tiny{1, 1000};
  EXPECT_TRUE(one.limit(1) == Uint128{1} << 64);
  EXPECT_TRUE(half.limit(0.5) == Uint128{1} << 64);
  EXPECT_TRUE(half.limit(0.25) == Uint128{1} << 63);
  EXPECT_TRUE(half.limit(0) == 0);
  EXPECT_TRUE(half.limit(-0.0) == 0);
  EXPECT_TRUE(one.limit(0x1p-64) == 1);
  EXPECT_TRUE(one.limit(0x1p-65) == 1);  // mark 0 is below one half
  EXPECT_TRUE(one.limit(std::nextafter(1.0, 0)) == (Uint128{1} << 64) - 2048);
  EXPECT_TRUE(tiny.limit(0x1p-1000) == Uint128{1} << 64);
  // 0.1 is 0x1.999999999999ap-4: times 2^67 an integer.
  EXPECT_TRUE(candidates_of(0.1).limit(0.1) == Uint128{0x1999999999999aULL} << 11);
}

TEST(Candidates, ABetterArmConvertsWheneverAWorseOneWould) {
  const Candidates candidates = Candidates::of(4, std::vector{0.3, 0.2, 0.01});
  std::size_t conversions = 0;
  for (std::uint64_t replica = 0; replica < 40; ++replica) {
    for (std::uint64_t round = 1; round <= 1000; ++round) {
      const bool best = candidates.converts(replica, round, 0.3), middle = candidates.converts(replica, round, 0.2),
                 worst = candidates.converts(replica, round, 0.01);
      EXPECT_TRUE((best || !middle) && (middle || !worst));
      conversions += best;
    }
  }
  EXPECT_NEAR(static_cast<double>(conversions), 12'000, 5 * std::sqrt(40'000 * 0.3 * 0.7));
}

// Whether a round is a candidate tells nothing about its mark and its delay, nor about its neighbours in time and replica.
TEST(Candidates, AreIndependentOfMarksDelaysAndNeighbours) {
  const Candidates candidates{20170628, 1};
  constexpr std::uint64_t replicas = 400, rounds = 640;
  const auto z = [&](auto other) {
    std::vector<double> counts(16, 0.0), expected(16, replicas * rounds / 16.0);
    for (std::uint64_t replica = 0; replica < replicas; ++replica) {
      for (std::uint64_t round = 0; round < rounds; ++round) ++counts[candidates.at(replica, round) * 8u + other(replica, round)];
    }
    return std::abs(chi_square_z(counts, expected));
  };
  EXPECT_LT(z([&](auto replica, auto round) { return candidates.mark(replica, round) >> 61; }), 5);
  EXPECT_LT(z([&](auto replica, auto round) { return delay_bits(candidates.seed, replica, round) >> 49; }), 5);
  const auto three = [&](auto bit) { return bit(1) * 4u + bit(2) * 2u + bit(3); };
  // Disjoint groups, so that no pair is counted twice.
  std::vector<double> in_time(16, 0.0), in_space(16, 0.0), expected(16, replicas * rounds / 4 / 16.0);
  for (std::uint64_t replica = 0; replica < replicas; ++replica) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (round % 4 == 0) ++in_time[candidates.at(replica, round) * 8u + three([&](int i) { return candidates.at(replica, round + i); })];
      if (replica % 4 == 0)
        ++in_space[candidates.at(replica, round) * 8u + three([&](int i) { return candidates.at(replica + i, round); })];
    }
  }
  EXPECT_LT(std::abs(chi_square_z(in_time, expected)), 5);
  EXPECT_LT(std::abs(chi_square_z(in_space, expected)), 5);
}

}  // namespace
}  // namespace dbandit::rng
