#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "core/chi_square.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"

/// χ² tests with a fixed seed. χ² − f is compared with 5 of its standard deviations: with at least 5 degrees of freedom a
/// sound generator would fail one such test in about 10^4 (heavy right tail of few degrees) to 10^6 choices of the seed.
namespace dbandit::rng {
namespace {

constexpr std::uint64_t kSeed = 20170628;
constexpr double kLimit = 5;
constexpr std::uint64_t kReplicas = 512, kRounds = 512;

using Cell = std::function<std::size_t(std::uint64_t replica, std::uint64_t round)>;

/// Counts a cell for every (replica, round) of the grid; z of the hypothesis that all cells are equally likely. Only every
/// `stride`-th replica and round, so that overlapping pairs are not counted twice.
double z_of(std::size_t cells, std::uint64_t replica_stride, std::uint64_t round_stride, const Cell& cell) {
  std::vector<double> counts(cells, 0.0);
  double total = 0;
  for (std::uint64_t replica = 0; replica < kReplicas; replica += replica_stride) {
    for (std::uint64_t round = 1; round <= kRounds; round += round_stride, ++total) ++counts[cell(replica, round)];
  }
  const std::vector<double> expected(cells, total / static_cast<double>(cells));
  return chi_square_z(counts, expected);
}

struct Draw {
  const char* name;
  unsigned bits;
  std::uint64_t (*at)(std::uint64_t replica, std::uint64_t round);
  friend void PrintTo(const Draw& draw, std::ostream* out) { *out << draw.name; }
};
const std::vector<Draw> kDraws = {
    {"mark", 64,
     [](std::uint64_t replica, std::uint64_t round) {
       return Candidates{kSeed, 3}.mark(replica, round);
     }},
    {"candidates", 64,
     [](std::uint64_t replica, std::uint64_t block) {
       return Candidates{kSeed, 1}.mask(replica, block);
     }},
    {"delay", 52, [](std::uint64_t replica, std::uint64_t round) { return delay_bits(kSeed, replica, round); }},
    {"tie", 32, [](std::uint64_t replica, std::uint64_t round) -> std::uint64_t { return tie_key(kSeed, replica, round, 2); }},
    {"start", 64, [](std::uint64_t replica, std::uint64_t arm) { return start_key(kSeed, replica, arm); }},
    {"arm_order", 64, [](std::uint64_t replica, std::uint64_t arm) { return arm_order_key(kSeed, replica, arm); }},
};

class EveryDraw : public testing::TestWithParam<Draw> {
 protected:
  [[nodiscard]] std::size_t leading(unsigned bits, std::uint64_t replica, std::uint64_t round) const {
    return GetParam().at(replica, round) >> (GetParam().bits - bits);
  }
};

TEST_P(EveryDraw, HasUniformLeadingBits) {
  EXPECT_LT(std::abs(z_of(256, 1, 1, [this](auto replica, auto round) { return leading(8, replica, round); })), kLimit);
}
TEST_P(EveryDraw, HasUniformTrailingBits) {
  EXPECT_LT(std::abs(z_of(256, 1, 1, [](auto replica, auto round) { return GetParam().at(replica, round) & 0xff; })), kLimit);
}
TEST_P(EveryDraw, HasUniformMiddleBits) {  // where two words of the generator meet
  const unsigned shift = GetParam().bits > 40 ? 28 : 12;
  EXPECT_LT(std::abs(z_of(256, 1, 1, [&](auto replica, auto round) { return GetParam().at(replica, round) >> shift & 0xff; })), kLimit);
}
TEST_P(EveryDraw, IsIndependentOfTheNextReplicas) {
  for (std::uint64_t lag = 1; lag <= 8; ++lag) {  // within a shared call and across calls
    const Cell pair = [&](auto replica, auto round) { return leading(4, replica, round) << 4 | leading(4, replica + lag, round); };
    EXPECT_LT(std::abs(z_of(256, 2 * lag, 1, pair)), kLimit) << "lag " << lag;
  }
}
TEST_P(EveryDraw, IsIndependentOfTheNextRound) {
  const Cell pair = [&](auto replica, auto round) { return leading(4, replica, round) << 4 | leading(4, replica, round + 1); };
  EXPECT_LT(std::abs(z_of(256, 1, 2, pair)), kLimit);
}
TEST_P(EveryDraw, IsIndependentOfTheOtherDrawsAtItsAddress) {
  for (const Draw& other : kDraws) {
    if (other.name == std::string_view(GetParam().name)) continue;
    const Cell pair = [&](auto replica, auto round) {
      return leading(4, replica, round) << 4 | static_cast<std::size_t>(other.at(replica, round) >> (other.bits - 4));
    };
    EXPECT_LT(std::abs(z_of(256, 1, 1, pair)), kLimit) << other.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Draws, EveryDraw, testing::ValuesIn(kDraws), [](const auto& info) { return std::string(info.param.name); });

TEST(TieKeys, PickEveryArmEquallyOften) {
  const Cell winner = [](auto replica, auto round) -> std::size_t {
    std::array<std::uint32_t, 7> keys{};
    for (std::size_t arm = 0; arm < keys.size(); ++arm) keys[arm] = tie_key(kSeed, replica, round, arm);
    return static_cast<std::size_t>(std::max_element(keys.begin(), keys.end()) - keys.begin());
  };
  EXPECT_LT(std::abs(z_of(7, 1, 1, winner)), kLimit);
}

TEST(StartKeys, GiveEveryOrderOfFourArmsEquallyOften) {
  constexpr std::size_t replicas = 100'000;
  std::vector<double> counts(24, 0.0);
  for (std::uint64_t replica = 0; replica < replicas; ++replica) {
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return start_key(kSeed, replica, a) > start_key(kSeed, replica, b); });
    std::size_t rank = 0;  // Lehmer code
    for (std::size_t i = 0; i < 4; ++i) {
      const auto smaller = std::count_if(order.begin() + i + 1, order.end(), [&](auto later) { return later < order[i]; });
      rank = rank * (4 - i) + static_cast<std::size_t>(smaller);
    }
    ++counts[rank];
  }
  const std::vector<double> expected(24, replicas / 24.0);
  EXPECT_LT(std::abs(chi_square_z(counts, expected)), kLimit);
}

}  // namespace
}  // namespace dbandit::rng
