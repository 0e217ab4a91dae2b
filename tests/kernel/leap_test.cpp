#include <gtest/gtest.h>

#include "kernel/leaping.hpp"
#include "kernel/memory.hpp"

/// Leaping decides as playing round by round does.
namespace dbandit::testing {
namespace {

class Leaping : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, Leaping, ::testing::ValuesIn(policies_that_leap()), kPolicyName);

TEST_P(Leaping, PullsTheReferencesArmsOnSmallRandomProblems) { expect_the_references_paths_by_leaps(GetParam(), 150); }

// Long enough for stretches of hundreds of rounds, of every kind of law, with few and many arms.
TEST_P(Leaping, PullsTheArmsOfTheRoundsEngineOnLongProblems) {
  struct Case {
    std::size_t arms;
    double best;
    const char* law;
  };
  for (const auto& [arms, best, law] :
       {Case{2, 0.5, "geometric:100"}, Case{3, 0.1, "geometric:100"}, Case{30, 0.3, "geometric:30"}, Case{3, 0.02, "geometric:100"},
        Case{3, 0.2, "uniform:0..200"}, Case{4, 0.2, "weibull:0.7,30"}, Case{70, 0.9, "constant:20"}}) {
    expect_the_rounds_paths_by_leaps(long_experiment(GetParam(), arms, best, law, 20'000), {.first = 8, .count = 3}, kernel::best_target());
    if (HasFatalFailure()) return;
  }
}

// What a stretch rounds off depends on where it ends: that must be the same on every target, too.
TEST_P(Leaping, RecordsTheSameBytesOnEveryTarget) {
  for (const char* law : {"geometric:50", "pareto:2,30", "geometric:20,geometric:50,geometric:3"}) {
    model::Experiment e = long_experiment(GetParam(), 3, 0.2, law, 6'000);
    e.leap_after = 100;
    const auto play = [&](const kernel::Target& target) { return simulate(target, e, {.first = 0, .count = 19}, exact_exposure(e)); };
    const model::Paths expected = play(kernel::best_target());
    for (const kernel::Target& target : supported_targets()) {
      const model::Paths actual = play(target);
      EXPECT_TRUE(actual.regret == expected.regret && actual.realised_regret == expected.realised_regret) << target.name << " " << law;
    }
  }
}

// The tests above could not fail if nothing were leapt over.
TEST_P(Leaping, LooksAtFewRoundsOnceTheBestArmIsKnown) {
  model::Experiment e = long_experiment(GetParam(), 3, 0.3, "geometric:20", 50'000);
  e.leap_after = kernel::leap_after(e);
  model::Paths paths;
  kernel::Profile profile;
  kernel::best_target().simulate(e, {.first = 0, .count = 8}, exact_exposure(e), model::Solver::direct, paths, &profile);
  EXPECT_EQ(profile.leapt, 8.0 * static_cast<double>(e.horizon - *e.leap_after));
  EXPECT_LT(profile.looks, profile.leapt / 10);
}

// Rings of rounds for a thousand arms and a window of 10^5 would take gigabytes.
TEST(LeapingByItself, IsForLongRunsWhoseRingsFitTheCaches) {
  model::Experiment e = long_experiment(*policy::find("d-klucb"), 3, 0.1, "geometric:500", 10'000'000);
  e.window = 1000;
  EXPECT_TRUE(kernel::is_faster_leaping(e));
  e.horizon = 1000;
  EXPECT_FALSE(kernel::is_faster_leaping(e));
  model::Experiment wide = long_experiment(*policy::find("d-klucb"), 1000, 0.1, "pareto:2,500", 10'000'000);
  wide.window = 1000;
  EXPECT_TRUE(kernel::is_faster_leaping(wide));
  wide.window = 100'000;
  EXPECT_FALSE(kernel::is_faster_leaping(wide));
}

// While nothing can have been seen all arms tie: each pull is a run of its own, and looks would add up thousands until they leave the
// window.
TEST(LeapingByItself, WaitsForTheEndOfALongDark) {
  model::Experiment e = long_experiment(*policy::find("d-klucb"), 2, 0.5, "constant:20000", 60'000);
  e.window = 30'000;
  EXPECT_FALSE(kernel::is_faster_leaping(e));
  e.horizon = 10'000'000;
  EXPECT_TRUE(kernel::is_faster_leaping(e));
  EXPECT_EQ(kernel::leap_after(e), 50'000);
  e.window.reset();
  EXPECT_EQ(kernel::leap_after(e), 40'000);
  e.problem.delay = model::Delays({model::Constant{20'000}, model::Constant{900}});  // summed over a buffer by the other engine
  EXPECT_EQ(kernel::leap_after(e), 1'000);
  model::Experiment mistaken = e;  // believes in a constant; what is lost is summed under the world's law
  mistaken.problem.delay = model::Geometric{100};
  mistaken.assumed = model::Delays(model::Constant{20'000});
  EXPECT_EQ(kernel::leap_after(mistaken), 1'000);
  // Exposures under another law are rounded where they are summed: it leaps from where it always did, byte for byte.
  e.problem.delay = model::parse_delay_law("empirical:1*20000+1*20001");
  EXPECT_EQ(kernel::leap_after(e), 1'000);
  // One that counts pulls tells arms apart, seen or not.
  EXPECT_EQ(kernel::leap_after(long_experiment(*policy::find("uncorrected-klucb"), 2, 0.5, "constant:20000", 10'000'000)), 1'000);
}

// The other ways to solve the index decide alike.
TEST(LeapingSolvers, PullTheSameArms) {
  model::Experiment e = long_experiment(*policy::find("d-klucb"), 4, 0.2, "geometric:50", 8'000);
  e.leap_after = 50;
  const model::Paths expected = simulate(kernel::best_target(), e, {.first = 0, .count = 5});
  for (const model::Solver solver : kSolvers) {
    EXPECT_TRUE(simulate(kernel::best_target(), e, {.first = 0, .count = 5}, model::Exposure::recursion, solver).actions ==
                expected.actions);
  }
}

TEST(LeapingPolicies, AreTheIndicesThatKnowTheDelays) {
  const auto leaps = [](const char* id) {
    const policy::Entry& entry = *policy::find(id);
    return kernel::can_leap({.statistic = entry.statistic, .index = entry.index});
  };
  for (const char* id : {"d-ucb", "d-klucb", "ud-ucb", "ud-klucb", "discard-ucb", "discard-klucb", "discard-bernkl", "oracle-ucb",
                         "oracle-klucb", "uncorrected-ucb", "uncorrected-klucb", "patient-ucb"}) {
    EXPECT_TRUE(leaps(id)) << id;
  }
  for (const char* id : {"d-ts", "agnostic-klucb", "ud-agnostic-ucb", "qpmd-klucb", "sdb", "etc", "phased-elimination", "uniform"}) {
    EXPECT_FALSE(leaps(id)) << id;
  }
}

}  // namespace
}  // namespace dbandit::testing
