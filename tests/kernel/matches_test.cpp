#include "kernel/policy/matches.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

/// Σ_j N_k(t − D_j), kept by blocks and stretches, against the definition after every round.
namespace dbandit::testing {
namespace {

struct Play {
  std::size_t arms;
  std::int64_t window, horizon;
  int stay;               ///< an arm is played on with a chance of 1 − 1/stay
  int burst;              ///< up to so many delays are observed at once
  std::int64_t from = 1;  ///< first round: the rounds of a long run are kept modulo 2^32
};

/// Lanes that play and observe what they like: no world, no policy.
class Lanes {
 public:
  Lanes(const Play& play, unsigned seed) : play_(play), random_(seed) {
    books_.lanes = kLanes, books_.arms = play.arms, books_.horizon = play.horizon, books_.window = std::min(play.window, play.horizon);
    matches_.size(books_);
    kernel::Rows measured;
    declare(measured);
    kernel::Rows rows(arena_.hold(measured.bytes()));
    declare(rows);
    matches_.fill(books_);
  }
  const kernel::Matches& matches() const { return matches_; }

  template <class Count>
  void expect_the_definition_for(std::int64_t rounds) {
    std::vector<std::vector<std::size_t>> played(kLanes);
    std::vector<std::vector<std::int64_t>> delays(kLanes);
    for (std::int64_t t = 1; t <= rounds; ++t) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t last = played[lane].empty() ? 0 : played[lane].back();
        const std::size_t arm = below(play_.stay) == 0 ? below(play_.arms) : last;
        played[lane].push_back(arm);
        books_.action[lane] = static_cast<double>(arm);
        books_.pulls[arm * kLanes + lane] += 1;
      }
      const kernel::MatchesOf<kernel::Baseline, Count> step(matches_, books_, observed_, play_.from + t - 1);
      step.grow();
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::uint64_t i = below(4) == 0 ? below(static_cast<std::uint64_t>(play_.burst) + 1) : 0; i > 0; --i) {
          const auto longest = static_cast<std::uint64_t>(std::min(t - 1, books_.window));
          delays[lane].push_back(static_cast<std::int64_t>(below(3) == 0 ? longest : below(longest + 1)));
          observed_[lane] += 1;
          step.observe(lane, static_cast<std::uint32_t>(delays[lane].back()));
        }
        for (std::size_t arm = 0; arm < play_.arms; ++arm) {
          std::int64_t sum = 0;
          std::vector<std::int64_t> pulls(static_cast<std::size_t>(t) + 1);  // N_k(s)
          for (std::size_t s = 0; s < played[lane].size(); ++s) pulls[s + 1] = pulls[s] + (played[lane][s] == arm);
          for (const std::int64_t delay : delays[lane]) sum += pulls[static_cast<std::size_t>(t - delay)];
          ASSERT_EQ(matches_.sums[arm * kLanes + lane], static_cast<double>(sum)) << "round " << t << " lane " << lane << " arm " << arm;
        }
      }
    }
  }

 private:
  static constexpr std::size_t kLanes = 8;
  void declare(kernel::Rows& rows) {
    books_.declare(rows);
    rows(observed_, kLanes);
    matches_.declare(rows, books_);
  }
  template <class N>
  std::uint64_t below(N n) {
    return random_() % static_cast<std::uint64_t>(n);
  }

  Play play_;
  std::mt19937_64 random_;
  kernel::Books books_;
  kernel::Matches matches_;
  double* observed_ = nullptr;
  kernel::Arena arena_;
};

constexpr std::int64_t kBlock = kernel::Matches::kBlock;

// A window of one round, one that ends inside a block, on its edge and behind it, one longer than the run; arms that change in every round,
// now and then and never; one observation at a time and many; rounds on both sides of 2^32.
TEST(Matches, AreTheSumOverObservedDelaysAfterEveryRound) {
  unsigned seed = 0;
  for (const std::int64_t window :
       {std::int64_t{1}, std::int64_t{2}, kBlock - 1, kBlock, kBlock + 1, std::int64_t{75}, std::int64_t{4000}}) {
    for (const int stay : {1, 3, 40, 1'000'000}) {
      for (const int burst : {1, 9}) {
        for (const std::size_t arms : {1u, 2u, 3u, 7u}) {
          Lanes narrow({arms, window, 200, stay, burst}, ++seed);
          ASSERT_TRUE(narrow.matches().narrow);
          narrow.expect_the_definition_for<std::uint16_t>(200);
          Lanes wide({arms, window, 6'000'000'000, stay, burst, (std::int64_t{1} << 32) - 100}, ++seed);
          ASSERT_FALSE(wide.matches().narrow);
          wide.expect_the_definition_for<std::uint32_t>(200);
          ASSERT_FALSE(HasFatalFailure()) << "window " << window << " stay " << stay << " burst " << burst << " arms " << arms;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
