#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dbandit/core/aligned.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "kernel/internals.hpp"
#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// Filtered KL decisions: the vectors compare arms by tangents of h(S, ·), whose error is certified, and leave what is closer than the
/// certificate to the exact indices.
namespace dbandit::testing {
namespace {

/// The largest and the smallest relative error of the tangents at one β, over S = 0, 1, 2, …, 2999 and then geometrically to 10^8.
struct Errors {
  double least = 1, most = -1;
};

class Tangents {
 public:
  Tangents() : seen_(4096), base_(seen_.size()), gain_(seen_.size()), exact_(seen_.size()) {
    std::iota(seen_.begin(), seen_.begin() + 3000, 0);
    for (std::size_t i = 3000; i < seen_.size(); ++i) seen_[i] = std::floor(seen_[i - 1] * 1.01);
  }
  void begin(std::int64_t round) {
    span.begin(epsilon, horizon, round);
    kernel::tangents<kernel::Baseline>(span.beta, seen_.data(), seen_.size(), base_.data(), gain_.data());
  }
  Errors errors(std::int64_t round) {
    const double beta = kernel::exploration(epsilon, round);
    kernel::best_target().poisson_bounds(model::Solver::newton, seen_.data(), beta, exact_.data(), exact_.size());
    Errors errors;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const double error = (base_[i] + gain_[i] * beta) / exact_[i] - 1;
      errors = {std::min(errors.least, error), std::max(errors.most, error)};
    }
    return errors;
  }
  double epsilon = 0;
  std::int64_t horizon = 1'000'000'000;
  kernel::Span span;

 private:
  AlignedVector<double> seen_, base_, gain_, exact_;
};

// Two arms whose exact indices are tied have approximations within the margin of each other, whatever their S: then no decision and no
// tie is ever taken by the approximation. The ends of a span are where a tangent is worst.
TEST(Filter, TheMarginCoversTheErrorsOfAnyTwoArms) {
  Tangents tangents;
  for (const double epsilon : {0.0, 0.5, 10.0}) {
    tangents.epsilon = epsilon;
    for (std::int64_t round = 2; round < tangents.horizon; round += round / 4 + 1) {
      tangents.begin(round);
      const std::int64_t end = tangents.span.end;
      ASSERT_GT(end, round);
      for (const std::int64_t t : {round, (round + end) / 2, end - 1}) {
        const auto [least, most] = tangents.errors(t);
        EXPECT_LE((1 + most) / (1 + least) * (1 + kernel::kTie), 1 + tangents.span.margin) << "epsilon " << epsilon << " round " << t;
      }
    }
  }
}

// A margin of 1 would pass the test above and decide nothing.
TEST(Filter, TheMarginStaysBelowOneInAMillionAndSpansGrow) {
  Tangents tangents;
  for (std::int64_t round = 2; round < tangents.horizon; round += round / 4 + 1) {
    tangents.span.begin(0, tangents.horizon, round);
    EXPECT_LT(tangents.span.margin, 6e-7);
    EXPECT_GE(tangents.span.end - round, std::max<std::int64_t>(1, round / 100 * 2));
  }
  tangents.horizon = 1000;
  tangents.span.begin(0, tangents.horizon, 999);
  EXPECT_EQ(tangents.span.end, 1001);
}

/// What the filter must leave to the exact indices: two arms whose indices differ by less than the tangents' error, at the end of a span,
/// where it is largest. Pulls are reals here, so that the difference is what we like. Lane by lane other numbers of conversions.
TEST(Filter, ArmsCloserThanTheTangentsErrorAreLeftToTheExactIndices) {
  model::Experiment e = experiment(*policy::find("oracle-klucb"), {{0.5, 0.4}, model::Geometric{1}}, 5, 1'000'000, 9);
  e.rule.clamp = model::Clamp::none;
  int misled = 0;
  for (const std::int64_t first : {100, 1'000, 30'000}) {
    for (const double apart : {1e-10, -1e-10, 1e-9, -1e-9, 4e-9, -4e-9}) {
      kernel::Workspace workspace;
      kernel::State& s = workspace.prepare(e, {.first = 0, .count = 64}, model::Exposure::recursion, model::Solver::direct);
      kernel::Index& index = s.policy.index;
      const kernel::Books& books = s.books;
      index.span.begin(0, books.horizon, first);
      const std::int64_t round = index.span.end - 1;
      AlignedVector<double> exact(2 * books.lanes);
      for (std::size_t lane = 0; lane < books.lanes; ++lane) {
        books.conversions[lane] = static_cast<double>(lane % 8);
        books.conversions[books.lanes + lane] = static_cast<double>(10 + 5 * lane);
      }
      kernel::best_target().poisson_bounds(model::Solver::newton, books.conversions, kernel::exploration(0, round), exact.data(),
                                           exact.size());
      for (std::size_t lane = 0; lane < books.lanes; ++lane) {
        books.pulls[lane] = 1000;
        books.pulls[books.lanes + lane] =
            1000 * exact[books.lanes + lane] / exact[lane] * (1 + apart);  // the second index is lower by `apart`
      }
      kernel::tangents<kernel::Baseline>(index.span.beta, books.conversions, books.cells(), index.base, index.gain);
      kernel::choose<kernel::Baseline>(s.policy, books, s.exposure, round);
      for (std::size_t lane = 0; lane < books.lanes; ++lane) {
        const auto by_tangent = [&](std::size_t cell) {
          return (index.base[cell] + index.gain[cell] * index.exploration.beta) / books.pulls[cell];
        };
        misled += (by_tangent(lane) > by_tangent(books.lanes + lane)) != (apart > 0);
      }
      kernel::settle_exactly<kernel::Baseline>(index, books, s.exposure, s.policy.ties, round);
      for (std::size_t lane = 0; lane < books.lanes; ++lane)
        ASSERT_EQ(books.action[lane], apart > 0 ? 0 : 1) << first << " " << apart << " lane " << lane;
    }
  }
  EXPECT_GT(misled, 50) << "the tangents alone would decide all of these rightly: nothing was tested";
}

model::Experiment paper(std::string_view id, const std::vector<double>& theta) {
  return experiment(*policy::find(id), {theta, model::Geometric{500}}, 1000, 10'000, 77);
}

class FilteredDecisions : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Kernel, FilteredDecisions, EachTarget(), kTargetName);

// 3 × 10^4 × 128 decisions between 3 arms, and none differs.
TEST_P(FilteredDecisions, AreThoseOfNewtonAtThePapersParameters) {
  for (const char* id : {"d-klucb", "ud-klucb", "discard-klucb"}) {
    for (const auto& theta : {std::vector{0.1, 0.05, 0.03}, std::vector{0.5, 0.4, 0.3}}) {
      const model::Experiment e = paper(id, theta);
      const model::Block block{.first = 0, .count = 128};
      const model::Paths direct = simulate(GetParam(), e, block);
      EXPECT_EQ(direct.actions, simulate(GetParam(), e, block, model::Exposure::recursion, model::Solver::newton).actions) << id;
    }
  }
}

TEST_P(FilteredDecisions, AreThoseOfBisectionToo) {
  const model::Experiment e = paper("d-klucb", {0.1, 0.05, 0.03});
  const model::Block block{.first = 128, .count = 64};
  EXPECT_EQ(simulate(GetParam(), e, block).actions,
            simulate(GetParam(), e, block, model::Exposure::recursion, model::Solver::bisection).actions);
}

TEST_P(FilteredDecisions, AreLeftToTheExactIndicesNowAndThenOnly) {
  for (const char* id : {"d-klucb", "ud-klucb", "discard-klucb", "oracle-klucb"}) {
    const model::Experiment e = paper(id, {0.1, 0.05, 0.03});
    model::Paths paths;
    kernel::Profile profile;
    GetParam().simulate(e, {.first = 0, .count = 128}, model::Exposure::recursion, model::Solver::direct, paths, &profile);
    const bool discard = e.rule.statistic == model::Statistic::matured;
    EXPECT_EQ(profile.decisions, 128.0 * static_cast<double>(e.horizon - (discard ? 1003 : 3))) << id;
    EXPECT_GT(profile.resolved, 0) << id;
    EXPECT_LT(profile.resolved, 0.1 * profile.decisions) << id;
    for (const double ticks : profile.ticks) EXPECT_GT(ticks, 0) << id;
    RecordProperty(std::string(id) + " share left to the exact indices", std::to_string(profile.resolved / profile.decisions));
  }
}

// The lead of the Bernoulli index: decisions that are not looked at are those of a look in every round. (With a trace the block is
// simulated round by round, but a lead is kept from one to the next; the reference has none.)
TEST_P(FilteredDecisions, OfBernoulliAreTheReferencesOverALongRun) {
  for (const auto& theta : {std::vector{0.3, 0.25, 0.2}, std::vector{0.9, 0.88, 0.5, 0.1}}) {
    const model::Experiment e = experiment(*policy::find("discard-bernkl"), {theta, model::Geometric{3}}, 10, 3'000, 5);
    const model::Block block{.first = 0, .count = 8};
    model::Paths expected;
    expected.traced = true;
    reference::simulate(e, block, model::Exposure::buffer, expected);
    EXPECT_EQ(simulate(GetParam(), e, block).actions, expected.actions);
  }
}

// Arms with equal counts have equal indices, and of thirty some always have; that matters only where they lead.
TEST_P(FilteredDecisions, AreNotLeftToTheExactIndicesForATieBelowTheLeader) {
  std::vector<double> theta(30, 0.05);
  theta[29] = 0.1;
  const model::Experiment e = paper("d-ucb", theta);
  model::Paths paths;
  kernel::Profile profile;
  GetParam().simulate(e, {.first = 0, .count = 32}, model::Exposure::recursion, model::Solver::direct, paths, &profile);
  EXPECT_LT(profile.resolved, 0.04 * profile.decisions);
}

TEST_P(FilteredDecisions, AreTheSameWithAndWithoutAProfile) {
  const model::Experiment e = paper("d-klucb", {0.1, 0.05, 0.03});
  model::Paths plain, profiled;
  kernel::Profile profile;
  GetParam().simulate(e, {.first = 0, .count = 8}, model::Exposure::recursion, model::Solver::direct, plain, nullptr);
  GetParam().simulate(e, {.first = 0, .count = 8}, model::Exposure::recursion, model::Solver::direct, profiled, &profile);
  EXPECT_EQ(plain.regret, profiled.regret);
  EXPECT_EQ(plain.pulls, profiled.pulls);
}

}  // namespace
}  // namespace dbandit::testing
