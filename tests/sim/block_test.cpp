#include "dbandit/sim/block.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dbandit/reference/simulate.hpp"
#include "sim/bytes.hpp"

namespace dbandit::sim {
namespace {

/// Two records, two arms; every number tells its origin, and padding lanes hold what would spoil any statistic.
void tell_origins(const model::Experiment& experiment, const model::Block& block, model::Paths& paths) {
  paths.resize(block.count, experiment.at.size(), experiment.problem.theta.size(), 0);
  const auto fill = [&](AlignedVector<double>& rows, double scale) {
    for (std::size_t cell = 0; cell < rows.size(); ++cell) {
      const std::size_t row = cell / paths.lanes, lane = cell % paths.lanes;
      const double replica = static_cast<double>(block.first + lane);
      rows[cell] = lane < block.count ? scale * (100.0 * static_cast<double>(row) + replica) + experiment.rule.epsilon
                                      : std::numeric_limits<double>::quiet_NaN();
    }
  };
  fill(paths.regret, 1);
  fill(paths.pseudo_regret, 2);
  fill(paths.realised_regret, 3);
  fill(paths.pulls, 5);
}

std::vector<model::Experiment> tellers(const std::vector<double>& epsilons) {
  Settings spec;
  spec.theta = {0.5, 0.5};
  spec.delay = model::Geometric{0};
  spec.horizon = 20;
  spec.policies = {"uniform"};
  spec.at = {10, 20};
  std::vector<model::Experiment> experiments(epsilons.size(), experiment(spec, "uniform"));
  for (std::size_t i = 0; i < epsilons.size(); ++i) experiments[i].rule.epsilon = epsilons[i];
  return experiments;
}

BlockStats stats_of(const Simulate& simulate, const std::vector<model::Experiment>& experiments, const model::Block& block) {
  Workspace workspace;
  BlockOutcome outcome;
  simulate_block(simulate, experiments, block, workspace, outcome);
  return outcome.stats;
}

TEST(Block, ReplicasEnterTheStatisticsAndPaddingDoesNot) {
  const BlockStats stats = stats_of(tell_origins, tellers({0}), {.first = 8, .count = 3});  // replicas 8, 9, 10
  ASSERT_EQ(stats.policies.size(), 1U);
  const PolicyStats& policy = stats.policies[0];
  EXPECT_EQ(bytes(policy.regret), bytes({{3, 9, 2}, {3, 109, 2}}));
  EXPECT_EQ(bytes(policy.pseudo_regret), bytes({{3, 18, 8}, {3, 218, 8}}));
  EXPECT_EQ(bytes(policy.realised_regret), bytes({{3, 27, 18}, {3, 327, 18}}));
  EXPECT_EQ(bytes(policy.pulls), bytes({{3, 45, 50}, {3, 545, 50}}));
  EXPECT_TRUE(stats.paired.empty());
}

TEST(Block, QuantilesAreThoseOfTheLastRecord) {
  const BlockStats stats = stats_of(tell_origins, tellers({0}), {.first = 0, .count = 16});
  stats::Quantiles expected;
  for (double replica = 0; replica < 16; ++replica) expected.add(std::vector{100 + replica});
  EXPECT_EQ(stats.policies[0].final_regret().bins(), expected.bins());
}

TEST(Block, SpreadIsOfEveryRecordOfAShortCurve) {
  const BlockStats stats = stats_of(tell_origins, tellers({0}), {.first = 0, .count = 16});
  ASSERT_EQ(stats.policies[0].spread.size(), 2U);
  EXPECT_NEAR(stats.policies[0].spread[0].quantile(1), 15, 0.0005 * 15);
  EXPECT_NEAR(stats.policies[0].spread[1].quantile(1), 115, 0.0005 * 115);
}

TEST(SpreadRecords, AreAtMostFiftyEvenlyTakenAndEndWithTheLast) {
  EXPECT_EQ(spread_records(1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(spread_records(3), (std::vector<std::size_t>{0, 1, 2}));
  for (std::size_t records = 1; records < 1000; ++records) {
    const std::vector<std::size_t> kept = spread_records(records);
    EXPECT_LE(kept.size(), 50U);
    EXPECT_EQ(kept.back(), records - 1);
    for (std::size_t i = 2; i < kept.size(); ++i) EXPECT_EQ(kept[i] - kept[i - 1], kept[1] - kept[0]);
    EXPECT_GE(kept.size(), std::min<std::size_t>(records, 25));
  }
}

TEST(Block, PairsAreTheDifferencesOfFinalRegretInTheOrderOfThePolicies) {
  const BlockStats stats = stats_of(tell_origins, tellers({1, 10, 100}), {.first = 0, .count = 5});
  EXPECT_EQ(bytes(stats.paired), bytes({{5, -9, 0}, {5, -99, 0}, {5, -90, 0}}));
}

TEST(Block, AWarmWorkspaceLeavesNoTraceOfEarlierBlocks) {
  Workspace workspace;
  BlockOutcome outcome;
  simulate_block(tell_origins, tellers({1, 2, 3}), {.first = 0, .count = 128}, workspace, outcome);
  const model::Block last{.first = 128, .count = 5};
  simulate_block(tell_origins, tellers({1, 2, 3}), last, workspace, outcome);
  EXPECT_EQ(bytes(outcome.stats), bytes(stats_of(tell_origins, tellers({1, 2, 3}), last)));
}

TEST(Block, AWarmWorkspaceKeepsItsStorage) {
  Workspace workspace;
  BlockOutcome outcome;
  simulate_block(tell_origins, tellers({1, 2}), {.first = 0, .count = 128}, workspace, outcome);
  const double* const rows = workspace.paths.regret.data();
  const double* const finals = workspace.final_regret[1].data();
  const stats::Moments* const curve = outcome.stats.policies[1].regret.data();
  simulate_block(tell_origins, tellers({1, 2}), {.first = 128, .count = 128}, workspace, outcome);
  EXPECT_EQ(workspace.paths.regret.data(), rows);
  EXPECT_EQ(workspace.final_regret[1].data(), finals);
  EXPECT_EQ(outcome.stats.policies[1].regret.data(), curve);
}

void expect_close(const std::vector<stats::Moments>& a, const std::vector<stats::Moments>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].count, b[i].count);
    EXPECT_NEAR(a[i].mean, b[i].mean, 1e-12 * (1 + std::abs(b[i].mean)));
    EXPECT_NEAR(a[i].m2, b[i].m2, 1e-10 * (1 + b[i].m2));
  }
}

TEST(BlockStats, MergedBlocksAreTheStatisticsOfOneBigBlock) {
  Settings spec;
  spec.theta = {0.5, 0.3};
  spec.delay = model::Geometric{5};
  spec.censor = 10;
  spec.horizon = 60;
  spec.policies = {"d-ucb", "ud-klucb", "uniform"};
  spec.at = {1, 20, 60};
  const std::vector<model::Experiment> experiments{experiment(spec, "d-ucb"), experiment(spec, "ud-klucb"), experiment(spec, "uniform")};
  const Simulate simulate = [](const auto& experiment, const auto& block, auto& paths) {
    reference::simulate(experiment, block, model::Exposure::buffer, paths);
  };
  const BlockStats whole = stats_of(simulate, experiments, {.first = 0, .count = 100});
  BlockStats parts;
  for (const model::Block& block : {model::Block{0, 16}, model::Block{16, 64}, model::Block{80, 8}, model::Block{88, 12}}) {
    parts.merge(stats_of(simulate, experiments, block));
  }
  ASSERT_EQ(parts.policies.size(), 3U);
  for (std::size_t policy = 0; policy < 3; ++policy) {
    for (const Measure& measure : kMeasures) expect_close(parts.policies[policy].*measure.curve, whole.policies[policy].*measure.curve);
    expect_close(parts.policies[policy].pulls, whole.policies[policy].pulls);
    EXPECT_EQ(parts.policies[policy].final_regret().bins(), whole.policies[policy].final_regret().bins());
  }
  expect_close(parts.paired, whole.paired);
  EXPECT_EQ(parts.paired.size(), 3U);
}

TEST(BlockStats, AnEmptyOneIsNeutral) {
  const BlockStats some = stats_of(tell_origins, tellers({1, 2}), {.first = 0, .count = 9});
  BlockStats merged;
  merged.merge(some);
  EXPECT_EQ(bytes(merged), bytes(some));
}

}  // namespace
}  // namespace dbandit::sim
