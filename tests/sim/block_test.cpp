#include "sim/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "reference/simulate.hpp"
#include "sim/bytes.hpp"
#include "sim/sums.hpp"

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

constexpr stats::Grid kGrid{30};

RunSums sums_of(const Simulate& simulate, const std::vector<model::Experiment>& experiments, const model::Block& block) {
  BlockScratch scratch;
  RunSums sums;
  simulate_block(simulate, experiments, block, kGrid, scratch, sums);
  sums.blocks = Coverage({block.first, block.first + block.count});  // replicas for blocks: they are as disjoint
  return sums;
}
RunStats stats_of(const Simulate& simulate, const std::vector<model::Experiment>& experiments, const model::Block& block) {
  return statistics(sums_of(simulate, experiments, block), kGrid);
}

TEST(Block, ReplicasEnterTheStatisticsAndPaddingDoesNot) {
  const RunStats stats = stats_of(tell_origins, tellers({0}), {.first = 8, .count = 3});  // replicas 8, 9, 10
  ASSERT_EQ(stats.policies.size(), 1U);
  const PolicyStats& policy = stats.policies[0];
  EXPECT_EQ(bytes(policy.regret), bytes({{3, 9, 1}, {3, 109, 1}}));
  EXPECT_EQ(bytes(policy.pseudo_regret), bytes({{3, 18, 4}, {3, 218, 4}}));
  EXPECT_EQ(bytes(policy.realised_regret), bytes({{3, 27, 9}, {3, 327, 9}}));
  EXPECT_EQ(bytes(policy.pulls), bytes({{3, 45, 25}, {3, 545, 25}}));
  EXPECT_TRUE(stats.paired.empty());
}

TEST(Block, QuantilesAreThoseOfTheLastRecord) {
  const RunStats stats = stats_of(tell_origins, tellers({0}), {.first = 0, .count = 16});
  stats::Quantiles expected;
  for (double replica = 0; replica < 16; ++replica) expected.add(std::vector{100 + replica});
  EXPECT_EQ(stats.policies[0].final_regret().bins(), expected.bins());
}

TEST(Block, SpreadIsOfEveryRecordOfAShortCurve) {
  const RunStats stats = stats_of(tell_origins, tellers({0}), {.first = 0, .count = 16});
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
  const RunStats stats = stats_of(tell_origins, tellers({1, 10, 100}), {.first = 0, .count = 5});
  EXPECT_EQ(bytes(stats.paired), bytes({{5, -9, 0}, {5, -99, 0}, {5, -90, 0}}));
}

/// Lane i of policy p is at 0 in round 10, at p·i² in round 20: its two ends say nothing of what it grew by, it does.
void grow(const model::Experiment& experiment, const model::Block& block, model::Paths& paths) {
  paths.resize(block.count, experiment.at.size(), experiment.problem.theta.size(), 0);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    const double replica = static_cast<double>(block.first + lane), start = 7 * replica;
    paths.regret[lane] = start;
    paths.regret[paths.lanes + lane] = start + experiment.rule.epsilon * replica * replica;
    paths.pseudo_regret[paths.lanes + lane] = paths.regret[paths.lanes + lane] + 3;
    paths.realised_regret[paths.lanes + lane] = paths.regret[paths.lanes + lane] - replica;
  }
}

TEST(Block, GrowthAndGapsAreDifferencesWithinTheReplica) {
  const RunStats stats = stats_of(grow, tellers({1, 4}), {.first = 0, .count = 3});  // replicas 0, 1, 2: squares 0, 1, 4
  EXPECT_EQ(bytes(stats.policies[0].growth), bytes({{3, 5.0 / 3, 13.0 / 3}}));
  EXPECT_EQ(bytes(stats.policies[1].growth), bytes({{3, 20.0 / 3, 16 * 13.0 / 3}}));
  EXPECT_EQ(bytes(stats.paired_growth), bytes({{3, -5, 9 * 13.0 / 3}}));
  EXPECT_EQ(bytes(stats.paired_at), bytes({{3, 0, 0}, {3, -5, 9 * 13.0 / 3}}));
  EXPECT_EQ(bytes(stats.policies[0].gaps), bytes({{3, 3, 0}, {3, -1, 1}}));
}

TEST(ComparedRecords, AreAllOfAShortListAndRoundNumbersOfALongOne) {
  EXPECT_EQ(compared_records(std::vector<std::int64_t>{7}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(compared_records(std::vector<std::int64_t>{7, 30, 31}), (std::vector<std::size_t>{0, 1, 2}));
  std::vector<std::int64_t> hundreds;
  for (std::int64_t round = 100; round <= 10'700; round += 100) hundreds.push_back(round);
  std::vector<std::int64_t> kept;
  for (const std::size_t record : compared_records(hundreds)) kept.push_back(hundreds[record]);
  EXPECT_EQ(kept, (std::vector<std::int64_t>{100, 200, 300, 500, 1000, 2000, 3000, 5000, 10'000, 10'700}));
}

TEST(Block, UsedScratchLeavesNoTraceOfEarlierBlocks) {
  BlockScratch scratch;
  RunSums sums;
  simulate_block(tell_origins, tellers({1, 2, 3}), {.first = 0, .count = 128}, kGrid, scratch, sums);
  const model::Block last{.first = 128, .count = 5};
  simulate_block(tell_origins, tellers({1, 2, 3}), last, kGrid, scratch, sums);
  EXPECT_EQ(bytes(statistics(sums, kGrid)), bytes(stats_of(tell_origins, tellers({1, 2, 3}), last)));
}

TEST(Block, UsedScratchKeepsItsStorage) {
  BlockScratch scratch;
  RunSums sums;
  simulate_block(tell_origins, tellers({1, 2}), {.first = 0, .count = 128}, kGrid, scratch, sums);
  const double* const rows = scratch.paths.regret.data();
  const double* const compared = scratch.regret[1].data();
  const stats::ExactSums* const curve = sums.policies[1].regret.data();
  simulate_block(tell_origins, tellers({1, 2}), {.first = 128, .count = 128}, kGrid, scratch, sums);
  EXPECT_EQ(scratch.paths.regret.data(), rows);
  EXPECT_EQ(scratch.regret[1].data(), compared);
  EXPECT_EQ(sums.policies[1].regret.data(), curve);
}

// Integer sums are the same whatever was merged with what: blocks of any size, in any order, are one big block to the bit.
TEST(RunSums, OfBlocksMergedInAnyOrderAreThoseOfOneBigBlock) {
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
  const std::string whole = bytes(stats_of(simulate, experiments, {.first = 0, .count = 100}));
  std::vector<RunSums> parts;
  for (const model::Block& block : {model::Block{0, 16}, model::Block{16, 64}, model::Block{80, 8}, model::Block{88, 12}}) {
    parts.push_back(sums_of(simulate, experiments, block));
  }
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    RunSums forwards, tree = parts[order[0]], branch = parts[order[1]];
    for (const std::size_t part : order) forwards.merge(parts[part]);
    branch.merge(parts[order[3]]);
    tree.merge(parts[order[2]]);
    branch.merge(tree);
    ASSERT_EQ(bytes(statistics(forwards, kGrid)), whole);
    ASSERT_EQ(bytes(statistics(branch, kGrid)), whole);
    ASSERT_EQ(forwards.blocks.count(), 100U);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(RunSums, ThatAreEmptyAreNeutral) {
  const RunSums some = sums_of(tell_origins, tellers({1, 2}), {.first = 0, .count = 9});
  RunSums left, right = some;
  left.merge(some);
  right.merge({});
  for (const RunSums& merged : {left, right}) EXPECT_EQ(bytes(statistics(merged, kGrid)), bytes(statistics(some, kGrid)));
}

}  // namespace
}  // namespace dbandit::sim
