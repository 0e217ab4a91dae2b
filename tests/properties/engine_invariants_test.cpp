#include <gtest/gtest.h>

#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// What holds on every path of the fast engine, whatever the draws.
namespace dbandit::testing {
namespace {

constexpr model::Block kBlock{.first = 0, .count = 64};

class EveryPath : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryPath, EachPolicy(), kPolicyName);

// A better arm converts whenever a worse one would, with the same delay.
TEST_P(EveryPath, HasARealisedRegretOfAtLeastZero) {
  model::Experiment e = experiment(GetParam(), {{0.3, 0.5, 0.1}, model::Geometric{20}}, 40, 300, 31);
  e.at = every_round(e.horizon);
  const model::Paths paths = simulate(kernel::best_target(), e, kBlock);
  double largest = 0;
  for (const double realised : paths.realised_regret) {
    EXPECT_GE(realised, 0);
    largest = std::max(largest, realised);
  }
  EXPECT_GT(largest, 0);
}

// Lemma 1: 0 ≤ P − L ≤ Δ_max Σ_{n<t} (1 − τ_{min(n,m)}), which is below μ Δ_max when uncensored.
TEST_P(EveryPath, LosesNoMoreToTheDelaysThanLemma1Says) {
  for (const double mean : {0.0, 3.0, 100.0}) {
    model::Experiment e = experiment(GetParam(), {{0.3, 0.5, 0.1}, model::Geometric{mean}}, 40, 300, 32);
    e.at = every_round(e.horizon);
    const model::Paths paths = simulate(kernel::best_target(), e, kBlock);
    double bound = 0;
    for (std::size_t row = 0; row < e.at.size(); ++row) {
      bound += 0.4 * model::survival(e.problem.delay, visible_age(e.window, e.at[row], 1));
      for (std::size_t lane = 0; lane < kBlock.count; ++lane) {
        const double difference = paths.pseudo_regret[row * paths.lanes + lane] - paths.regret[row * paths.lanes + lane];
        EXPECT_GE(difference, -1e-12) << e.at[row];
        EXPECT_LE(difference, bound + 1e-12) << e.at[row];
      }
    }
    EXPECT_TRUE(e.window || bound <= 0.4 * mean + 1e-12);
  }
}

TEST_P(EveryPath, CountsEveryRoundAsOnePull) {
  const model::Experiment e = experiment(GetParam(), {{0.3, 0.5, 0.1, 0.2, 0.2, 0.7}, model::Geometric{20}}, 40, 300, 33);
  const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 13});
  for (std::size_t lane = 0; lane < 13; ++lane) {
    std::vector<double> pulls(6);
    for (std::size_t t = 0; t < 300; ++t) ++pulls[paths.actions[t * paths.lanes + lane]];
    for (std::size_t arm = 0; arm < 6; ++arm) EXPECT_EQ(paths.pulls[arm * paths.lanes + lane], pulls[arm]);
  }
}

// Nothing is lost before the window has passed. (Discarding lives in one setting, and the agnostic policies estimate differently in the
// two.)
TEST(Censoring, ChangesNoBitUntilTheWindowHasPassed) {
  for (const char* id : {"d-ucb", "d-klucb", "oracle-ucb", "oracle-klucb", "uniform"}) {
    for (const std::int64_t window : {400, 401, 5000}) {
      for (const model::Exposure exposure : kExposures) {
        model::Experiment e = experiment(*policy::find(id), {{0.1, 0.05, 0.03}, model::Geometric{100}}, window, 400, 34);
        e.at = {1, 100, 400};
        const model::Paths censored = simulate(kernel::best_target(), e, kBlock, exposure);
        e.window.reset();
        const model::Paths uncensored = simulate(kernel::best_target(), e, kBlock, exposure);
        EXPECT_EQ(censored.actions, uncensored.actions) << id << " " << window;
        EXPECT_EQ(censored.regret, uncensored.regret) << id << " " << window;
        EXPECT_EQ(censored.realised_regret, uncensored.realised_regret) << id << " " << window;
      }
    }
  }
}

// The equality above ends where it should.
TEST(Censoring, ShowsOnceTheWindowHasPassed) {
  for (const char* id : {"d-ucb", "d-klucb"}) {
    model::Experiment e = experiment(*policy::find(id), {{0.6, 0.4, 0.3}, model::Geometric{10}}, 20, 400, 34);
    const model::Paths censored = simulate(kernel::best_target(), e, kBlock);
    e.window.reset();
    EXPECT_NE(censored.actions, simulate(kernel::best_target(), e, kBlock).actions);
  }
}

// μ = 0: Ñ = N and every conversion is seen at once, which is the ordinary UCB and Poisson KL-UCB.
TEST(WithoutDelay, TheDelayedPoliciesAreTheImmediateOnes) {
  for (const auto& [delayed, immediate] : {std::pair{"d-ucb", "oracle-ucb"}, std::pair{"ud-ucb", "oracle-ucb"},
                                           std::pair{"d-klucb", "oracle-klucb"}, std::pair{"ud-klucb", "oracle-klucb"}}) {
    for (const model::Exposure exposure : kExposures) {
      model::Experiment e = experiment(*policy::find(delayed), {{0.3, 0.5, 0.1}, model::Geometric{0}}, 7, 500, 35);
      e.at = {1, 250, 500};
      const model::Paths paths = simulate(kernel::best_target(), e, kBlock, exposure);
      e.rule.statistic = policy::find(immediate)->statistic;
      const model::Paths expected = simulate(kernel::best_target(), e, kBlock, exposure);
      EXPECT_EQ(paths.actions, expected.actions) << delayed;
      EXPECT_EQ(paths.regret, expected.regret) << delayed;
      EXPECT_EQ(paths.regret, paths.pseudo_regret) << delayed;
    }
  }
}

// Appendix D with the law known from the first conversion on: every delay is 0, the estimated ρ̂ is 0 and Ñ = N.
TEST(WithoutDelay, TheAgnosticPoliciesLearnItFromOneConversion) {
  for (const char* id : {"agnostic-ucb", "ud-agnostic-ucb"}) {
    model::Experiment e = experiment(*policy::find(id), {{1.0, 0.5}, model::Geometric{0}}, 7, 300, 36);
    const model::Paths paths = simulate(kernel::best_target(), e, kBlock);
    e.rule.statistic = model::Statistic::immediate;
    EXPECT_EQ(paths.actions, simulate(kernel::best_target(), e, kBlock).actions) << id;
  }
}

}  // namespace
}  // namespace dbandit::testing
