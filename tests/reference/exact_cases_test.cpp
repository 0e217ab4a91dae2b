#include "reference/exact_cases.hpp"

#include <gtest/gtest.h>

#include "reference/enumerate.hpp"

namespace dbandit::testing {
namespace {

class PrintedCase : public ::testing::TestWithParam<ExactCase> {};

TEST_P(PrintedCase, IsReachedByFollowingEveryPath) {
  const Expectation exact = enumerate(GetParam().experiment());
  EXPECT_NEAR(exact.mass, 1, 1e-14);
  EXPECT_NEAR(exact.regret, GetParam().regret, 1e-9);
  EXPECT_NEAR(exact.pulls[1], GetParam().pulls, 1e-9);
  EXPECT_NEAR(exact.pulls[0] + exact.pulls[1], static_cast<double>(GetParam().horizon), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(ExactCases, PrintedCase, ::testing::ValuesIn(kExactCases),
                         [](const auto& info) { return std::string(info.param.name); });

/// θ = (0.5, 0.4), μ = 1, three rounds, uncensored: small enough for paper and pencil.
model::Experiment by_hand(model::IndexForm index) {
  model::Experiment experiment = kExactCases[0].experiment();
  experiment.problem.theta[1] = 0.4;
  experiment.rule.index = index;
  return experiment;
}

// τ = (1/2, 3/4, …), so rounds 1 and 2 leave Ñ = (3/4, 1/2).
TEST(ByHand, AfterOnePullOfEachArmUcbPlaysTheOlderOneOnlyWhenItAloneConverted) {
  const std::vector<std::size_t> start{0, 1};
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      reference::Learner learner(by_hand(model::IndexForm::ucb), model::Exposure::history);
      EXPECT_EQ(learner.candidates(start), std::vector<std::size_t>{0});
      learner.play(0, first, 1);  // disclosed at the end of round 2, like the next one
      EXPECT_EQ(learner.statistics()[0].conversions, 0);
      EXPECT_EQ(learner.candidates(start), std::vector<std::size_t>{1});
      learner.play(1, second, 0);
      const auto arms = learner.statistics();
      EXPECT_EQ(arms[0].exposure, 0.75);
      EXPECT_EQ(arms[1].exposure, 0.5);
      EXPECT_EQ(arms[0].conversions, first);
      EXPECT_EQ(arms[1].conversions, second);
      EXPECT_EQ(learner.candidates(start), std::vector<std::size_t>{first && !second ? std::size_t{0} : 1});
    }
  }
}

// Δ = 0.1; P(A_3 = first) = 0.5·(3/4) · (1 − 0.4·(1/2)) = 0.3, so UCB costs 0.1 (3/4 + 0.7/2); clamped KL flips a coin in round 3.
TEST(ByHand, ThreeRoundsOfUcbCostElevenHundredthsAndThoseOfClampedKlTen) {
  EXPECT_NEAR(enumerate(by_hand(model::IndexForm::ucb)).regret, 0.11, 1e-14);
  EXPECT_NEAR(enumerate(by_hand(model::IndexForm::klucb)).regret, 0.10, 1e-14);
}

/// Two arms with a delay each, T = 4, window 1: the first arm (θ = 0.5) shows half of its conversions within the window, the second
/// (θ = 0.4) all of them at once, so the second is the best.
model::Experiment slow_and_quick(model::IndexForm index) {
  return {.problem = {.theta = {0.5, 0.4}, .delay = model::parse_delays("uniform:0..3,constant:0")},
          .window = 1,
          .rule = {.index = index, .start = model::StartOrder::fixed},
          .horizon = 4,
          .seed = 1,
          .at = {4}};
}

// τ of the slow arm is 1/4 in the round of the pull, then 1/2 for ever. Pulls 0, 1, 1, 0 lose 0.4 − 0.25, 0, 0 and 0.4 − 0.125.
TEST(DelaysByArm, TheLossOfAPullIsWhatTheBestArmWouldShowByNowMinusWhatItShows) {
  const model::Experiment e = slow_and_quick(model::IndexForm::ucb);
  const auto tau = reference::visibilities(e.problem.delay, e.window, e.horizon);
  ASSERT_EQ(reference::best_arm(e.problem, e.window), 1U);
  EXPECT_NEAR(reference::regret_by_arm(e.problem, 1, {0, 1, 1, 0}, tau), 0.15 + 0.275, 1e-15);
  EXPECT_EQ(reference::regret_by_arm(e.problem, 1, {1, 1, 1, 1}, tau), 0);
  // Without a window the first arm is the best, and for four rounds it is behind.
  const auto open = reference::visibilities(e.problem.delay, {}, e.horizon);
  ASSERT_EQ(reference::best_arm(e.problem, {}), 0U);
  EXPECT_NEAR(reference::regret_by_arm(e.problem, 0, {1, 1, 1, 1}, open), 0.5 * (0.25 + 0.5 + 0.75 + 1) - 4 * 0.4, 1e-15);
}

// Every path, whatever the policy: E[L(T)] = θ* Σ τ* − E[disclosed conversions].
TEST(DelaysByArm, TheExpectedLossIsWhatTheBestArmIsExpectedToShowMinusWhatIsShown) {
  for (const model::IndexForm index : {model::IndexForm::ucb, model::IndexForm::klucb}) {
    const Expectation exact = enumerate(slow_and_quick(index));
    EXPECT_NEAR(exact.mass, 1, 1e-14);
    EXPECT_NEAR(exact.regret, 4 * 0.4 - exact.conversions, 1e-14);
    model::Experiment open = slow_and_quick(index);
    open.window.reset();
    const Expectation uncensored = enumerate(open);
    EXPECT_NEAR(uncensored.regret, 0.5 * (0.25 + 0.5 + 0.75 + 1) - uncensored.conversions, 1e-14);
  }
}

TEST(DelaysByArm, TheBestArmIsTheFirstOfEqualsAndThatOfTheLargestRateWhereAllHaveOneLaw) {
  EXPECT_EQ(reference::best_arm({{0.2, 0.4, 0.4}, model::parse_delays("constant:0,uniform:0..3,uniform:0..3")}, 1), 0U);
  EXPECT_EQ(reference::best_arm({{0.2, 0.4, 0.4}, model::parse_delays("constant:0,uniform:0..3,uniform:0..3")}, {}), 1U);
  EXPECT_EQ(reference::best_arm({{0.2, 0.4, 0.4}, model::Constant{5}}, 1), 1U);
}

/// Decision t with τ_{t−s} against the data of round t − 1, as printed in §5.1 and §7: every pull looks one round older than it is.
struct LateClock : reference::Learner {
  LateClock(const model::Experiment& e, model::Exposure form) : Learner(e, form), experiment(e) {}
  [[nodiscard]] std::vector<std::size_t> candidates(std::span<const std::size_t> start) const {
    if (round() < static_cast<std::int64_t>(start.size())) return Learner::candidates(start);
    std::vector<double> late = reference::visibility(experiment.problem.delay, experiment.window, experiment.horizon);
    for (std::size_t d = 0; d + 1 < late.size(); ++d) late[d] = late[d + 1];
    const auto exposure = reference::exposure_by_definition(actions(), start.size(), std::span<const double>(late));
    auto arms = statistics();
    std::vector<double> indices;
    for (std::size_t k = 0; k < arms.size(); ++k) {
      arms[k].exposure = exposure[k];
      indices.push_back(reference::index(experiment.rule, arms[k], reference::exploration(experiment.rule.epsilon, round() + 1)));
    }
    return reference::maximisers(indices);
  }
  model::Experiment experiment;
};

/// Delays on {1, 2, …}: no conversion shows in the round of its pull.
struct OneStartDelay : reference::Learner {
  using Learner::Learner;
  void play(std::size_t arm, bool converts, std::int64_t delay) { Learner::play(arm, converts, delay + 1); }
};

TEST(ExactCases, AMismatchedClockMovesThem) {
  for (const std::size_t censored : {4, 5}) {
    const ExactCase& printed = kExactCases[censored];
    EXPECT_GT(std::abs(enumerate<LateClock>(printed.experiment()).regret - printed.regret), 1e-3) << printed.name;
  }
}

TEST(ExactCases, ADelayThatStartsAtOneMovesThem) {
  for (const std::size_t moved : {0, 3, 4, 5}) {
    const ExactCase& printed = kExactCases[moved];
    EXPECT_GT(std::abs(enumerate<OneStartDelay>(printed.experiment()).regret - printed.regret), 1e-3) << printed.name;
  }
}

TEST(ExactCases, LowestIndexTiesMoveEveryClampedKlCase) {
  for (const std::size_t clamped : {1, 5}) {
    model::Experiment lowest = kExactCases[clamped].experiment();
    lowest.rule.ties = model::Ties::lowest;
    EXPECT_LT(enumerate(lowest).regret, kExactCases[clamped].regret - 0.05) << kExactCases[clamped].name;
  }
}

// Not the clamped KL cases: all their rounds but the first two are tosses, which no order can move.
TEST(ExactCases, APermutedStartOrderMovesTheOnesThatDecide) {
  for (const std::size_t moved : {0, 3, 4}) {
    model::Experiment permuted = kExactCases[moved].experiment();
    permuted.rule.start = model::StartOrder::permuted;
    EXPECT_GT(std::abs(enumerate(permuted).regret - kExactCases[moved].regret), 1e-3) << kExactCases[moved].name;
  }
}

}  // namespace
}  // namespace dbandit::testing
