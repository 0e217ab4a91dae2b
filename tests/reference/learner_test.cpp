#include "reference/learner.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dbandit::reference {
namespace {

using model::Exposure;
using model::Statistic;
using Arms = std::vector<std::size_t>;

model::Experiment experiment_of(model::Rule rule, model::Window window, std::size_t arms = 2, double mean_delay = 1) {
  return {.problem = {std::vector<double>(arms, 0.5), model::Geometric{mean_delay}},
          .window = window,
          .rule = rule,
          .horizon = 40,
          .seed = 0,
          .at = {40}};
}

TEST(Visibility, IsTheCdfUpToTheWindowOrTheHorizon) {
  const model::DelayLaw law = model::Geometric{500};
  const auto censored = visibility(law, 1000, 10000), uncensored = visibility(law, {}, 10000), long_window = visibility(law, 1000, 10);
  ASSERT_EQ(censored.size(), 1001u);
  EXPECT_NEAR(censored.back(), 0.8646648068, 5e-11);
  EXPECT_NEAR(censored.front(), 1.0 / 501, 1e-17);
  ASSERT_EQ(uncensored.size(), 10001u);
  EXPECT_NEAR(uncensored.back(), 1 - std::pow(500.0 / 501, 10001), 1e-15);
  ASSERT_EQ(long_window.size(), 11u);
  EXPECT_EQ(long_window.back(), censored[10]);
}

TEST(Learner, SeesAConversionAtTheEndOfTheRoundInWhichItIsDue) {
  Learner learner(experiment_of({}, {}), Exposure::history);
  learner.play(0, true, 0);
  EXPECT_EQ(learner.statistics()[0].conversions, 1);
  learner.play(1, true, 2);
  EXPECT_EQ(learner.statistics()[1].conversions, 0);
  learner.play(0, false, 0);
  EXPECT_EQ(learner.statistics()[1].conversions, 0);
  learner.play(0, false, 0);
  EXPECT_EQ(learner.statistics()[1].conversions, 1);
}

TEST(Learner, LosesAConversionLaterThanTheWindow) {
  Learner learner(experiment_of({}, 2), Exposure::history);
  learner.play(0, true, 2);
  learner.play(1, true, 3);
  for (int round = 3; round <= 10; ++round) learner.play(0, false, 0);
  EXPECT_EQ(learner.statistics()[0].conversions, 1);
  EXPECT_EQ(learner.statistics()[1].conversions, 0);
}

TEST(Learner, PlaysTheStartOrderFirst) {
  const Arms start{2, 0, 1};
  Learner learner(experiment_of({}, {}, 3), Exposure::history);
  for (const std::size_t arm : start) {
    EXPECT_EQ(learner.candidates(start), Arms{arm});
    learner.play(arm, false, 0);
  }
  EXPECT_EQ(learner.candidates(start).size(), 3u);  // clamped KL: β/Ñ ≥ 1 for all
}

TEST(Discarding, GoesRoundTheArmsUntilEachHasAMaturedPull) {
  const Arms start{2, 0, 1};
  const std::int64_t window = 5;
  Learner learner(experiment_of({.statistic = Statistic::matured, .index = model::IndexForm::ucb}, window, 3), Exposure::history);
  for (std::int64_t t = 1; t <= window + 3; ++t) {
    const std::size_t arm = start[static_cast<std::size_t>((t - 1) % 3)];
    EXPECT_EQ(learner.candidates(start), Arms{arm}) << t;
    learner.play(arm, arm == 2, 5);  // only arm 2 converts, at the last moment
  }
  for (const auto& arm : learner.statistics()) EXPECT_EQ(arm.pulls, 1);
  EXPECT_EQ(learner.statistics()[2].conversions, 1);
  EXPECT_EQ(learner.candidates(start), Arms{2});
}

TEST(Discarding, HasTheCoveringRadiusUnlessThePrintedOneIsAskedFor) {
  for (const auto radius : {model::Radius::covering, model::Radius::paper}) {
    const model::Rule rule{.statistic = Statistic::matured, .index = model::IndexForm::ucb, .radius = radius};
    Learner learner(experiment_of(rule, 1, 1), Exposure::history);
    for (int round = 1; round <= 5; ++round) learner.play(0, round == 1, 0);
    const double tau = 0.75, matured = 4, beta = std::log(6.0);
    const double covering = std::sqrt(beta / (2 * matured)) / tau, printed = std::sqrt(beta / (2 * tau * matured));
    const double expected = 1 / (tau * matured) + (radius == model::Radius::paper ? printed : covering);
    EXPECT_NEAR(index(rule, learner.statistics()[0], beta), expected, 1e-15);
  }
}

TEST(Agnostic, LearnersTieUntilTheFirstDelayIsObserved) {
  for (const auto statistic : {Statistic::agnostic_window, Statistic::agnostic_mean}) {
    for (const auto form : {model::IndexForm::ucb, model::IndexForm::klucb}) {
      Learner learner(experiment_of({.statistic = statistic, .index = form, .clamp = model::Clamp::none}, {}), Exposure::history);
      const Arms start{0, 1};
      learner.play(0, true, 4);
      learner.play(1, false, 0);
      for (int round = 3; round <= 4; ++round) {
        EXPECT_EQ(learner.candidates(start), Arms({0, 1}));
        learner.play(1, false, 0);
      }
      learner.play(1, false, 0);
      // The one delay seen is 4. By the counts, arm 1, pulled after round 1 only, has no pull that could show: nothing is known of it.
      EXPECT_EQ(learner.candidates(start), Arms{statistic == Statistic::agnostic_window ? std::size_t{1} : 0});
    }
  }
}

TEST(Agnostic, CountsGiveArmsWithEqualEvidenceEqualExposure) {
  DelayCounts counts{.at_most = std::vector<std::int64_t>(4)};
  for (const std::int64_t delay : {1, 3, 1}) counts.add(delay);
  EXPECT_EQ(counts.observed, 3);
  EXPECT_EQ(counts.at_most, std::vector<std::int64_t>({0, 2, 2, 3}));
}

TEST(Agnostic, MeanDelayWeighsTheNthObservationByItsNumberNotItsRound) {
  DelayMean mean{.gamma = 1}, recent{.gamma = 0.5};
  for (const std::int64_t delay : {3, 0, 9}) mean.add(delay), recent.add(delay);
  EXPECT_DOUBLE_EQ(mean.mean, 4);
  EXPECT_DOUBLE_EQ(mean.ratio(), 0.8);
  const double two = 3 * (1 - std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(recent.mean, two + (9 - two) / std::sqrt(3));
}

// γ < 1 makes the order matter: the delays 2 and 0 both arrive in round 3, and the earlier pull goes first.
TEST(Agnostic, SameRoundArrivalsCountInTheOrderOfTheirPulls) {
  const model::Rule rule{.statistic = Statistic::agnostic_mean, .gamma = 0.5};
  Learner learner(experiment_of(rule, {}), Exposure::history);
  learner.play(0, true, 2);
  learner.play(1, false, 0);
  learner.play(0, true, 0);
  DelayMean mean{.gamma = 0.5};
  mean.add(2);
  mean.add(0);
  EXPECT_DOUBLE_EQ(learner.statistics()[0].exposure, 2 - mean.ratio());
  EXPECT_DOUBLE_EQ(learner.statistics()[1].exposure, 1);
}

TEST(Oracle, SeesConversionsAtOnceAndUniformNothing) {
  Learner oracle(experiment_of({.statistic = Statistic::immediate}, 2), Exposure::history),
      uniform(experiment_of({.statistic = Statistic::none}, 2), Exposure::history);
  for (auto* learner : {&oracle, &uniform}) {
    learner->play(0, true, 30);
    for (int round = 2; round <= 30; ++round) learner->play(1, false, 0);
  }
  EXPECT_EQ(oracle.statistics()[0].conversions, 1);
  EXPECT_EQ(oracle.statistics()[0].exposure, 1);
  EXPECT_EQ(oracle.candidates(Arms{0, 1}), Arms({0}));
  EXPECT_EQ(uniform.candidates(Arms{0, 1}), Arms({0, 1}));
}

}  // namespace
}  // namespace dbandit::reference
