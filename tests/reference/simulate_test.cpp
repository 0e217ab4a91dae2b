#include "reference/simulate.hpp"

#include <gtest/gtest.h>

#include "reference/worlds.hpp"

namespace dbandit::testing {
namespace {

const model::Problem kProblem{{0.3, 0.5, 0.1}, model::Geometric{4}};

model::Experiment small(std::string_view policy) {
  model::Experiment e = experiment(*policy::find(policy), kProblem, 6, 30, 77);
  e.at = {1, 2, 7, 30};
  return e;
}

class EveryReferencePolicy : public ::testing::TestWithParam<policy::Entry> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryReferencePolicy, EachPolicy(), kPolicyName);

// Recomputed here from the actions and the addresses of the draws alone.
TEST_P(EveryReferencePolicy, RecordsTheSumsOverItsOwnPulls) {
  const model::Experiment e = small(GetParam().id);
  const std::size_t replicas = 20;
  const model::Paths p = paths(e, replicas);
  const double best = 0.5;
  for (std::size_t lane = 0; lane < replicas; ++lane) {
    for (std::size_t record = 0; record < e.at.size(); ++record) {
      double regret = 0, pseudo = 0, realised = 0;
      for (std::int64_t s = 1; s <= e.at[record]; ++s) {
        const double theta = kProblem.theta[p.actions[static_cast<std::size_t>(s - 1) * p.lanes + lane]];
        const std::int64_t age = visible_age(e.window, e.at[record], s);
        const Draw d = draw(e, lane, s);
        regret += (best - theta) * model::cdf(kProblem.delay, age);
        pseudo += best - theta;
        if (d.delay <= age) realised += d.converts(best) - d.converts(theta);
      }
      const std::size_t cell = record * p.lanes + lane;
      EXPECT_NEAR(p.regret[cell], regret, 1e-13);
      EXPECT_NEAR(p.pseudo_regret[cell], pseudo, 1e-13);
      EXPECT_EQ(p.realised_regret[cell], realised);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      double pulls = 0;
      for (std::int64_t s = 1; s <= e.horizon; ++s) pulls += p.actions[static_cast<std::size_t>(s - 1) * p.lanes + lane] == k;
      EXPECT_EQ(p.pulls[k * p.lanes + lane], pulls);
    }
  }
}

TEST_P(EveryReferencePolicy, GivesAReplicaTheSamePathInWhateverBlockItIs) {
  const model::Experiment e = small(GetParam().id);
  const model::Paths whole = paths(e, 24), part = paths(e, 8, model::Exposure::buffer, 16);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    for (std::size_t t = 0; t < 30; ++t) EXPECT_EQ(part.actions[t * part.lanes + lane], whole.actions[t * whole.lanes + lane + 16]);
    for (std::size_t record = 0; record < 4; ++record) {
      EXPECT_EQ(part.regret[record * part.lanes + lane], whole.regret[record * whole.lanes + lane + 16]);
    }
  }
}

TEST_P(EveryReferencePolicy, PlaysOneArmWithoutRegret) {
  const model::Experiment e = experiment(GetParam(), {{0.2}, model::Geometric{3}}, 4, 25);
  const model::Paths p = paths(e, 3);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    EXPECT_EQ(p.regret[lane], 0);
    EXPECT_EQ(p.realised_regret[lane], 0);
    EXPECT_EQ(p.pulls[lane], 25);
  }
}

TEST(Simulate, PadsItsRowsAndTracesOnlyWhenAsked) {
  model::Paths p;
  reference::simulate(small("d-klucb"), {.first = 0, .count = 5}, model::Exposure::buffer, p);
  EXPECT_EQ(p.lanes, 8u);
  EXPECT_TRUE(p.actions.empty());
  EXPECT_EQ(p.regret.size(), 4u * 8);
  EXPECT_EQ(p.pulls.size(), 3u * 8);
}

TEST(Simulate, StartsInTheOrderOfTheKeysOrInTheGivenOne) {
  model::Experiment e = small("uniform");
  const std::size_t replicas = 50;
  const model::Paths permuted = paths(e, replicas);
  e.rule.start = model::StartOrder::fixed;
  const model::Paths fixed = paths(e, replicas);
  for (std::size_t lane = 0; lane < replicas; ++lane) {
    std::uint64_t last = ~std::uint64_t{0};
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(fixed.actions[t * fixed.lanes + lane], t);
      const std::uint64_t key = rng::start_key(e.seed, lane, permuted.actions[t * permuted.lanes + lane]);
      EXPECT_LT(key, last);
      last = key;
    }
  }
}

TEST(Simulate, GivesATieToTheLargestKeyOfTheRoundOrToTheLowestArm) {
  model::Experiment e = small("uniform");
  const std::size_t replicas = 50;
  const model::Paths random = paths(e, replicas);
  e.rule.ties = model::Ties::lowest;
  const model::Paths lowest = paths(e, replicas);
  for (std::size_t lane = 0; lane < replicas; ++lane) {
    for (std::uint64_t t = 4; t <= 30; ++t) {
      const std::size_t cell = (t - 1) * random.lanes + lane;
      EXPECT_EQ(lowest.actions[cell], 0);
      for (std::uint64_t k = 0; k < 3; ++k)
        EXPECT_LE(rng::tie_key(e.seed, lane, t, k), rng::tie_key(e.seed, lane, t, random.actions[cell]));
    }
  }
}

/// The textbook: immediate rewards, θ̂ = S/N, UCB1's radius or the Poisson divergence.
std::vector<std::uint16_t> textbook_actions(const model::Experiment& e, std::uint64_t replica) {
  const std::size_t arms = e.problem.theta.size();
  std::vector<double> successes(arms), pulls(arms);
  std::vector<std::uint16_t> actions;
  for (std::int64_t t = 1; t <= e.horizon; ++t) {
    std::size_t best = 0;
    double best_index = -1;
    std::uint64_t best_key = 0;
    for (std::size_t k = 0; k < arms; ++k) {
      const bool start = t <= static_cast<std::int64_t>(arms);
      double index = pulls[k] == 0 ? 2 : 0;
      if (!start && e.rule.index == model::IndexForm::ucb) index = successes[k] / pulls[k] + std::sqrt(std::log(t) / (2 * pulls[k]));
      if (!start && e.rule.index == model::IndexForm::klucb) {
        double low = successes[k] / pulls[k], high = 1;
        const auto divergence = [p = low](double q) { return (p == 0 ? 0 : p * std::log(p / q)) + q - p; };
        for (int step = 0; step < 60; ++step) {
          const double q = (low + high) / 2;
          (pulls[k] * divergence(q) <= std::log(t) ? low : high) = q;
        }
        index = pulls[k] * divergence(1) <= std::log(t) ? 1 : low;
      }
      const std::uint64_t key =
          start ? rng::start_key(e.seed, replica, k) : rng::tie_key(e.seed, replica, static_cast<std::uint64_t>(t), k);
      const bool tie = std::abs(index - best_index) < 1e-12;
      if (tie ? key > best_key : index > best_index) best = k, best_index = index, best_key = key;
    }
    ++pulls[best];
    successes[best] += draw(e, replica, t).converts(e.problem.theta[best]);
    actions.push_back(static_cast<std::uint16_t>(best));
  }
  return actions;
}

TEST(NoDelay, MakesThemOrdinaryUcbAndPoissonKlUcb) {
  for (const std::string_view id : {"d-ucb", "ud-ucb", "d-klucb", "ud-klucb", "oracle-ucb", "oracle-klucb"}) {
    const model::Experiment e = experiment(*policy::find(id), {{0.3, 0.5, 0.1}, model::Geometric{0}}, 10, 150, 5);
    const std::size_t replicas = 40;
    const model::Paths p = paths(e, replicas);
    for (std::size_t lane = 0; lane < replicas; ++lane) {
      const auto expected = textbook_actions(e, lane);
      for (std::size_t t = 0; t < expected.size(); ++t) ASSERT_EQ(p.actions[t * p.lanes + lane], expected[t]) << id << " round " << t + 1;
    }
  }
}

// μ → 0 from above: with no delay ever drawn, only arms of equal counts, which tie without delay, may be told apart by τ_0 < 1.
TEST(NoDelay, IsTheLimitOfShortDelays) {
  for (const std::string_view id : {"d-ucb", "d-klucb"}) {
    for (const double mean : {1e-6, 1e-9, 1e-12}) {
      const model::Experiment e = experiment(*policy::find(id), {{0.3, 0.5}, model::Geometric{mean}}, 10, 100, 5);
      model::Experiment limit = e;
      limit.problem.delay = model::Geometric{0};
      const std::size_t replicas = 400;
      const model::Paths near = paths(e, replicas), there = paths(limit, replicas);
      const double gap = std::abs(row(near.regret, near, 0, replicas).mean - row(there.regret, there, 0, replicas).mean);
      EXPECT_LT(gap, 4.5 * row(there.regret, there, 0, replicas).standard_error()) << id << ' ' << mean;
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
