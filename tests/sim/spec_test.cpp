#include "dbandit/sim/spec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dbandit/policy/catalogue.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

TEST(DefaultRounds, AreDistinctIncreasingAndHoldTheFirstRoundAndTheHorizon) {
  for (const std::int64_t horizon : {1, 2, 3, 17, 199, 200, 201, 250, 400, 1000, 10000, 1000000, 1000000000}) {
    const auto rounds = default_rounds(horizon);
    EXPECT_EQ(rounds.size(), static_cast<std::size_t>(std::min<std::int64_t>(horizon, 200))) << horizon;
    EXPECT_EQ(rounds.front(), 1) << horizon;
    EXPECT_EQ(rounds.back(), horizon);
    EXPECT_TRUE(std::ranges::is_sorted(rounds, std::ranges::less_equal{}) && std::ranges::adjacent_find(rounds) == rounds.end()) << horizon;
  }
}

TEST(DefaultRounds, AreLogSpacedOnceTheyNeedNotBeNeighbours) {
  const auto rounds = default_rounds(1000000);
  const auto from = std::ranges::find_if(rounds, [](std::int64_t round) { return round > 1000; });
  const double expected =
      std::log(static_cast<double>(rounds.back()) / static_cast<double>(*from)) / static_cast<double>(rounds.end() - from - 1);
  for (auto round = from; round + 1 != rounds.end(); ++round) {
    EXPECT_NEAR(std::log(static_cast<double>(round[1]) / static_cast<double>(round[0])), expected, 0.002) << *round;
  }
}

Settings some_spec() {
  Settings spec = papers_problem({"uniform"});
  spec.at = {100, 10000};
  spec.seed = 7;
  spec.epsilon = 0.25;
  spec.clamp = model::Clamp::none;
  spec.ties = model::Ties::lowest;
  spec.start = model::StartOrder::fixed;
  spec.radius = model::Radius::paper;
  spec.gamma = 0.75;
  spec.prior_shape = 0.5;
  spec.prior_rate = 3;
  return spec;
}

TEST(Experiment, HasTheWindowOfItsPolicysSetting) {
  Settings spec = some_spec();
  for (const policy::Entry& entry : policy::catalogue()) {
    spec.censor = 1000;
    const bool uncensored = entry.setting == policy::Setting::uncensored;
    EXPECT_EQ(experiment(spec, std::string(entry.id)).window, uncensored ? model::Window{} : model::Window{1000}) << entry.id;
    spec.censor.reset();
    if (entry.setting != policy::Setting::censored) {
      EXPECT_EQ(experiment(spec, std::string(entry.id)).window, model::Window{}) << entry.id;
    }
  }
}

TEST(Experiment, TakesTheRuleFromTheCatalogueAndItsParametersFromTheSpec) {
  const Settings spec = some_spec();
  const model::Experiment made = experiment(spec, "discard-ucb");
  EXPECT_EQ(made.problem.theta, spec.theta);
  EXPECT_EQ(made.problem.delay, spec.delay);
  EXPECT_EQ(made.horizon, 10000);
  EXPECT_EQ(made.seed, 7U);
  EXPECT_EQ(made.at, spec.at);
  EXPECT_EQ(made.rule.statistic, model::Statistic::matured);
  EXPECT_EQ(made.rule.index, model::IndexForm::ucb);
  EXPECT_EQ(made.rule.epsilon, 0.25);
  EXPECT_EQ(made.rule.clamp, model::Clamp::none);
  EXPECT_EQ(made.rule.ties, model::Ties::lowest);
  EXPECT_EQ(made.rule.start, model::StartOrder::fixed);
  EXPECT_EQ(made.rule.radius, model::Radius::paper);
  EXPECT_EQ(made.rule.gamma, 0.75);
  EXPECT_EQ(made.rule.prior_shape, 0.5);
  EXPECT_EQ(made.rule.prior_rate, 3);
  EXPECT_EQ(experiment(spec, "ud-agnostic-klucb").rule.statistic, model::Statistic::agnostic_mean);
  EXPECT_EQ(experiment(spec, "ud-agnostic-klucb").rule.index, model::IndexForm::klucb);
}

}  // namespace
}  // namespace dbandit::sim
