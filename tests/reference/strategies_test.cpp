#include <gtest/gtest.h>

#include <cmath>

#include "reference/learner.hpp"

/// The rivals that do not play the largest index, by hand.
namespace dbandit::reference {
namespace {

using model::IndexForm;
using model::Statistic;

const std::vector<std::size_t> kStart{1, 0};

Learner learner(const model::Rule& rule, model::Window window, std::int64_t horizon = 100, std::size_t arms = 2) {
  return Learner({.problem = {std::vector<double>(arms, 0.5), model::Geometric{1}},
                  .window = window,
                  .rule = rule,
                  .horizon = horizon,
                  .seed = 1,
                  .at = {horizon}},
                 model::Exposure::history);
}

std::size_t choice(const Learner& learner) { return learner.candidates(kStart).front(); }

// The base wants arm 1, then arm 0, then the larger index; it moves on only when it is fed.
TEST(Queue, PlaysTheFirstArmUntilSomethingArrivesForIt) {
  Learner naive = learner({.statistic = Statistic::queue_naive, .index = IndexForm::ucb}, 10);
  for (int t = 0; t < 20; ++t) {
    ASSERT_EQ(choice(naive), 1u);
    naive.play(1, t == 17, 2);  // converts once, in round 18, disclosed in round 20
  }
  EXPECT_EQ(choice(naive), 0u);
  EXPECT_EQ(naive.fed()[1].pulls, 1);
  EXPECT_EQ(naive.fed()[1].conversions, 1);
}

TEST(Queue, WithATimeoutFeedsAZeroAtTheEndOfTheWindow) {
  Learner timed = learner({.statistic = Statistic::queue, .index = IndexForm::ucb}, 3);
  for (int t = 1; t <= 4; ++t) {
    ASSERT_EQ(choice(timed), 1u) << t;
    timed.play(1, false, 0);
  }
  // After round 4 the pull of round 1 is 3 rounds old.
  EXPECT_EQ(choice(timed), 0u);
  EXPECT_EQ(timed.fed()[1].pulls, 1);
  EXPECT_EQ(timed.fed()[1].conversions, 0);
}

TEST(Queue, FeedsWhatArrivedFirstFirst) {
  Queue queue(1);
  queue.arrive(0, false);
  queue.arrive(0, true);
  queue.feed(0);
  EXPECT_EQ(queue.fed[0].conversions, 0);
  queue.feed(0);
  EXPECT_EQ(queue.fed[0].conversions, 1);
  EXPECT_EQ(queue.fed[0].pulls, 2);
}

/// Both arms in turn up to round `turns`, the first alone, which always converts, after round `last`.
void expect_turns_then_the_best(Learner& learner, int turns, int last, int horizon) {
  for (int t = 1; t <= horizon; ++t) {
    const std::size_t arm = choice(learner);
    if (t <= turns) {
      ASSERT_EQ(arm, t % 2 == 1 ? 1u : 0u) << t;
    }
    if (t > last) {
      ASSERT_EQ(arm, 0u) << t;
    }
    learner.play(arm, arm == 0, 0);
  }
}

// T = 64, m = 8, K = 2: batches end at 8, 16, 32; the last one begins in round 33 and is the best arm's alone.
TEST(Batches, TakeTurnsThenCommit) {
  Learner etc = learner({.statistic = Statistic::matured, .index = IndexForm::batches}, 8, 64);
  expect_turns_then_the_best(etc, 16, 32, 64);
}

// A clear difference ends the exploration before the last batch: at round 17 the shares are 1 and 0 on four pulls each, and the radius
// sqrt(ln(2 · 10000/16)/8) is 0.94; at round 33 there are twelve each, and 0.52 does not bridge the gap either; at 65 it does.
TEST(Batches, DropAnArmThatIsCertainlyWorse) {
  Learner etc = learner({.statistic = Statistic::matured, .index = IndexForm::batches}, 8, 10'000);
  int worse = 0;
  for (int t = 1; t <= 400; ++t) {
    const std::size_t arm = choice(etc);
    worse += arm == 1;
    etc.play(arm, arm == 0, 0);
    if (t == 64) {
      EXPECT_EQ(worse, 32);
    }
  }
  EXPECT_EQ(worse, 32);
}

// T = 100: phase 1 asks for ⌈8 ln 100⌉ = 37 matured pulls of each arm.
TEST(Phases, DropAnArmWhenAllHaveTheirNumberOfPulls) {
  Learner phased = learner({.statistic = Statistic::matured, .index = IndexForm::phases}, 5, 100);
  expect_turns_then_the_best(phased, 74, 80, 100);
}

TEST(Thompson, DrawsOtherSamplesForOtherReplicasAndTheSameForTheSame) {
  const Learner first = learner({.index = IndexForm::thompson}, 10, 100, 2);
  int differ = 0;
  for (std::uint64_t replica = 1; replica <= 64; ++replica) {
    Learner a = first.of(replica), b = first.of(replica);
    for (Learner* each : {&a, &b}) each->play(1, false, 0), each->play(0, false, 0);
    EXPECT_EQ(choice(a), choice(b));
    differ += choice(a);
  }
  // Nothing tells the arms apart but one round of age: a coin of 64 tosses, six standard deviations.
  EXPECT_GT(differ, 8);
  EXPECT_LT(differ, 56);
}

TEST(PatientIndex, IsUcbOnTheRawMeanPlusItsAllowance) {
  EXPECT_DOUBLE_EQ(patient_index({.conversions = 3, .exposure = 16, .pulls = 16}, 2, 0.5), 3.0 / 16 + 0.25 + 0.25);
}

TEST(BernoulliIndex, IsWhereTheDivergenceReachesItsBudget) {
  const ArmStatistics arm{.conversions = 3, .exposure = 16, .pulls = 20};
  const double q = bernkl_index(arm, 1.5, model::Clamp::none) * 0.8, p = 3.0 / 20;
  EXPECT_NEAR(20 * (p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))), 1.5, 1e-12);
  EXPECT_NEAR(bernkl_index({.conversions = 0, .exposure = 16, .pulls = 20}, 1.5, model::Clamp::none) * 0.8, 1 - std::exp(-1.5 / 20), 1e-14);
  EXPECT_EQ(bernkl_index({.conversions = 20, .exposure = 16, .pulls = 20}, 1.5, model::Clamp::one), 1);
  // Never above the Poisson index on the same counts.
  EXPECT_LT(q / 0.8, klucb_index(arm, 1.5, model::Clamp::none));
}

}  // namespace
}  // namespace dbandit::reference
