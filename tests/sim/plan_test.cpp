#include "dbandit/sim/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dbandit::sim {
namespace {

Settings spec_of(std::size_t arms, std::int64_t replicas) {
  Settings spec;
  spec.delay = model::Geometric{5};
  spec.horizon = 100000;
  spec.policies = {"uniform"};
  spec.theta.assign(arms, 0.5);
  spec.replicas = replicas;
  return spec;
}

TEST(Plan, BlocksHaveFewerLanesTheMoreArmsThereAre) {
  struct Row {
    std::size_t arms, lanes;
  };
  for (const Row& row : {Row{1, 128}, Row{3, 128}, Row{16, 128}, Row{17, 64}, Row{32, 64}, Row{33, 32}, Row{64, 32}, Row{65, 16},
                         Row{128, 16}, Row{1000, 16}, Row{65535, 16}}) {
    EXPECT_EQ(plan(spec_of(row.arms, 1000)).block_lanes, row.lanes) << row.arms;
  }
}

TEST(Plan, BlocksTileTheReplicasInOrderAndBeginAtWholeLaneGroups) {
  for (const std::int64_t replicas : {1, 7, 8, 127, 128, 129, 1000, 12800}) {
    for (const std::size_t arms : {std::size_t{3}, std::size_t{100}}) {
      const Plan made = plan(spec_of(arms, replicas));
      std::uint64_t next = 0;
      for (std::size_t index = 0; index < made.blocks; ++index) {
        const model::Block block = made.block(index);
        EXPECT_EQ(block.first, next);
        EXPECT_EQ(block.first % kLaneGroup, 0U);
        EXPECT_GE(block.count, 1U);
        EXPECT_LE(block.count, made.block_lanes);
        next += block.count;
      }
      EXPECT_EQ(next, static_cast<std::uint64_t>(replicas));
    }
  }
}

TEST(Plan, TheLargestRunHasAPlanToo) {
  const Plan made = plan(spec_of(3, 10000000000));
  EXPECT_EQ(made.blocks, 78125000U);
  EXPECT_EQ(made.block(made.blocks - 1).first, 10000000000U - 128);
}

Plan of(std::size_t blocks) { return {.block_lanes = 128, .blocks = blocks, .replicas = 128 * blocks}; }

TEST(Rota, GivesEveryBlockOneTurnInTheOrderOfItsPlan) {
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{7}, {1, 1, 1}, {3, 10}, {10, 3, 1, 7}, {1, 1000, 17}, {5, 0, 2}}) {
    std::vector<Plan> plans;
    for (const std::size_t blocks : sizes) plans.push_back(of(blocks));
    const Rota rota(plans);
    std::vector<std::size_t> next(sizes.size(), 0);
    std::size_t all = 0;
    for (const std::size_t blocks : sizes) all += blocks;
    ASSERT_EQ(rota.size(), all);
    for (std::size_t item = 0; item < rota.size(); ++item) {
      const auto [plan, block] = rota.turn(item);
      EXPECT_EQ(block, next[plan]++);
    }
    EXPECT_EQ(next, sizes);
  }
}

TEST(Rota, KeepsEveryPlanAtTheSameShareOfItsWay) {
  const std::vector<std::size_t> sizes{100, 30, 7, 1};
  const Rota rota({of(100), of(30), of(7), of(1)});
  std::vector<double> done(sizes.size(), 0);
  for (std::size_t item = 0; item < rota.size(); ++item) {
    done[rota.turn(item).plan] += 1;
    const double share = done[0] / 100;
    for (std::size_t plan = 0; plan < sizes.size(); ++plan) {
      EXPECT_LE(std::abs(done[plan] - share * static_cast<double>(sizes[plan])), 1.3 + 1e-9)
          << item << ": one block for rounding down, a turn for the order within a round";
    }
  }
}

TEST(Rota, OfOnePlanIsItsOrderAndOfNoneIsEmpty) {
  const Rota rota({of(5)});
  for (std::size_t item = 0; item < 5; ++item) EXPECT_EQ(rota.turn(item).block, item);
  EXPECT_EQ(Rota({}).size(), 0U);
}

TEST(Rota, NeedsNoTableHoweverManyBlocks) {
  const std::size_t many = 80'000'000;
  const Rota rota({of(many), of(many / 2)});
  EXPECT_EQ(rota.size(), many / 2 * 3);
  const auto last = rota.turn(rota.size() - 1);
  EXPECT_EQ(last.plan, 1U);
  EXPECT_EQ(last.block, many / 2 - 1);
}

}  // namespace
}  // namespace dbandit::sim
