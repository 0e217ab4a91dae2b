#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "dbandit/policy/catalogue.hpp"
#include "kernel/internals.hpp"
#include "kernel/targets.hpp"
#include "reference/index.hpp"
#include "reference/worlds.hpp"

/// The Bernoulli KL numerators by their tangent planes: what is certified of them, and that decisions stay the reference's.
namespace dbandit::testing {
namespace {

/// M q by the reference.
double bound(double conversions, double pulls, double beta) {
  return reference::bernkl_index({.conversions = conversions, .exposure = pulls, .pulls = pulls}, beta, model::Clamp::none) * pulls;
}

/// One plane of the baseline.
struct OnePlane {
  double base, gain, rise, last;
  [[nodiscard]] double at(double pulls, double beta) const { return base + gain * beta + rise * pulls; }
};
OnePlane touch(double conversions, double pulls, double beta, double excess) {
  using D = kernel::Doubles<kernel::Baseline>;
  const auto plane = kernel::touch<kernel::Baseline>(D(conversions), D(pulls), D(beta), D(excess));
  return {plane.base.get(0), plane.gain.get(0), plane.rise.get(0), plane.last.get(0)};
}
double guess(double conversions, double pulls, double beta) {
  using D = kernel::Doubles<kernel::Baseline>;
  return kernel::excess_guess<kernel::Baseline>(D(conversions), D(pulls), D(beta)).get(0);
}

/// (Z, M): all shares of small M, and random ones of large.
std::vector<std::array<double, 2>> counts() {
  std::vector<std::array<double, 2>> all;
  for (int pulls = 1; pulls <= 12; ++pulls) {
    for (int conversions = 0; conversions <= pulls; ++conversions) all.push_back({double(conversions), double(pulls)});
  }
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> share;
  for (int i = 0; i < 60; ++i) {
    const double pulls = std::floor(std::pow(10, 1 + 5 * share(random)));
    const double some = std::floor(pulls * share(random)), few = std::floor(std::pow(pulls, share(random)));
    for (const double conversions : {0.0, 1.0, some, few, pulls - few, pulls - 1, pulls}) all.push_back({conversions, pulls});
  }
  return all;
}

// Two arms whose exact indices are tied have planes within the margin of each other: a plane is never below its numerator and never above
// it by more than the margin, from the first round of its span to the last, and for every M up to which it is kept.
TEST(BernoulliPlanes, AreAboveTheirNumeratorsByTheMarginAtMost) {
  const auto cells = counts();
  constexpr std::int64_t kHorizon = 1'000'000;
  for (const double epsilon : {0.0, 0.5, 10.0}) {
    for (std::int64_t round = 2; round < kHorizon; round = round * 3 + 1) {
      kernel::Span span;
      span.begin_planes(epsilon, kHorizon, round);
      ASSERT_GT(span.end, round);
      for (const auto& [conversions, pulls] : cells) {
        const OnePlane plane = touch(conversions, pulls, span.beta, guess(conversions, pulls, span.beta));
        ASSERT_GE(plane.last, pulls);
        for (const double grown : {pulls, std::floor(plane.last)}) {
          for (const std::int64_t t : {round, span.end - 1}) {
            const double beta = kernel::exploration(epsilon, t), exact = bound(conversions, grown, beta);
            const double error = plane.at(grown, beta) / exact - 1;
            ASSERT_GE(error, -2e-10) << conversions << " of " << pulls << ", grown " << grown << ", round " << t;
            ASSERT_LE(error, span.margin - 2 * kernel::kTie) << conversions << " of " << pulls << ", grown " << grown << ", round " << t;
          }
        }
      }
    }
  }
}

// A margin of 1 would pass the test above and decide nothing; nor is a plane worth keeping that does not last.
TEST(BernoulliPlanes, HaveAMarginOfAFewMillionthsAndLast) {
  for (std::int64_t round = 2; round < 1'000'000; round += round / 4 + 1) {
    kernel::Span span;
    span.begin_planes(0, 1'000'000, round);
    EXPECT_LT(span.margin, 3e-6);
    EXPECT_GE(span.end - round, std::max<std::int64_t>(1, round / 200));
  }
  EXPECT_GT(touch(50, 1000, 9, guess(50, 1000, 9)).last, 1004);
  EXPECT_GT(touch(250, 5000, 9, guess(250, 5000, 9)).last, 5020);
}

TEST(BernoulliPlanes, AreTheSameFromAnyGuessButForTheWidthOfATouch) {
  for (const auto& [conversions, pulls] : counts()) {
    for (const double beta : {0.7, 5.0, 13.0, 150.0}) {
      const double exact = bound(conversions, pulls, beta);
      for (const double excess : {-1.0, 0.0, 1e-3, 1.0, pulls - conversions, 2 * pulls}) {
        EXPECT_NEAR(touch(conversions, pulls, beta, excess).at(pulls, beta) / exact, 1, 1e-6) << conversions << " of " << pulls;
      }
    }
  }
}

// What the engine keeps from round to round: at every decision every plane is good to the margin.
TEST(BernoulliPlanes, OfTheEngineAreGoodAtEveryDecision) {
  for (const char* law : {"geometric:3", "geometric:3,geometric:8,geometric:3,geometric:1"}) {
    const model::Experiment e =
        experiment(*policy::find("discard-bernkl"), {{0.5, 0.45, 0.2, 0.9}, model::parse_delays(law)}, 12, 1'000, 3);
    kernel::Workspace workspace;
    kernel::State& s = workspace.prepare(e, {.first = 0, .count = 8}, model::Exposure::recursion, model::Solver::direct);
    const kernel::Index& index = s.policy.index;
    int checked = 0;
    for (std::int64_t round = 1; round < e.horizon; ++round) {
      kernel::rounds<kernel::Baseline, false>(s, round, round);
      if (round + 1 >= index.span.end) continue;
      const double beta = kernel::exploration(0, round + 1);
      for (std::size_t arm = 0; arm < s.books.arms; ++arm) {
        for (std::size_t lane = 0; lane < 8; ++lane, ++checked) {
          const std::size_t cell = arm * s.books.lanes + lane;
          const OnePlane plane{index.base[cell], index.gain[cell], index.rise[cell], 0};
          const double error = plane.at(s.books.matured[cell], beta) / bound(s.books.conversions[cell], s.books.matured[cell], beta) - 1;
          ASSERT_GE(error, -1e-12) << "round " << round << " cell " << cell;
          ASSERT_LE(error, index.span.margin) << "round " << round << " cell " << cell;
        }
      }
    }
    EXPECT_GT(checked, 10'000);
  }
}

void expect_the_references(const model::Experiment& e) {
  const model::Block block{.first = 0, .count = 4};
  model::Paths expected;
  expected.traced = true;
  reference::simulate(e, block, model::Exposure::buffer, expected);
  for (const kernel::Target& target : supported_targets()) {
    EXPECT_EQ(simulate(target, e, block).actions, expected.actions) << target.name << ' ' << model::delays_text(e.problem.delay);
  }
}

// Many arms tie all the time; laws that differ by so little that arms of equal counts are neither tied nor told apart by their planes.
TEST(BernoulliDecisions, AreTheReferencesWhereManyArmsTie) {
  const policy::Entry& entry = *policy::find("discard-bernkl");
  const char* const close_laws = "geometric:2,geometric:2.0000002,geometric:1.9999998,geometric:2,geometric:2,geometric:2.0000001";
  for (const double rate : {0.05, 0.5, 1.0}) {
    for (const char* law : {"geometric:3", close_laws}) {
      model::Experiment e = experiment(entry, {std::vector<double>(6, rate), model::parse_delays(law)}, 5, 600, 5);
      if (rate == 0.5) e.rule.clamp = model::Clamp::none;
      expect_the_references(e);
    }
  }
}

// A β of hundreds: numerators are M but for the last digits.
TEST(BernoulliDecisions, AreTheReferencesWhereMuchIsExplored) {
  for (const auto& theta : {std::vector{0.5, 0.2, 0.1}, std::vector{0.9, 0.3}, std::vector{0.05, 0.01}}) {
    model::Experiment e = experiment(*policy::find("discard-bernkl"), {theta, model::Geometric{3}}, 10, 1'500, 6);
    e.rule.epsilon = 30;
    expect_the_references(e);
  }
}

// Ties of twenty arms are settled by their keys: the exact indices are for the few that are close.
TEST(BernoulliDecisions, LeaveFewTiesToTheExactIndices) {
  std::vector<double> theta(20, 0.05);
  theta[7] = 0.1;
  const model::Experiment e = experiment(*policy::find("discard-bernkl"), {theta, model::Geometric{50}}, 100, 3'000, 5);
  kernel::Workspace workspace;
  kernel::State& s = workspace.prepare(e, {.first = 0, .count = 16}, model::Exposure::recursion, model::Solver::direct);
  std::size_t listed = 0, left = 0;
  for (std::int64_t round = 1; round <= e.horizon; ++round) {
    kernel::rounds<kernel::Baseline, false>(s, round, round);
    kernel::choose<kernel::Baseline>(s.policy, s.books, s.exposure, round + 1);
    listed += s.policy.ties.count;
    s.policy.index.settle_by_keys<kernel::Baseline>(s.books, s.exposure, s.policy.ties);
    left += s.policy.ties.count;
  }
  EXPECT_GT(listed, 5'000u);
  EXPECT_LT(left, listed / 50);
}

}  // namespace
}  // namespace dbandit::testing
