#include "sim/plan.hpp"

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

TEST(Interleaving, HasEveryItemOnceInTheOrderOfItsList) {
  for (const std::vector<std::size_t>& lengths :
       {std::vector<std::size_t>{7}, {1, 1, 1}, {3, 10}, {10, 3, 1, 7}, {1, 1000, 17}, {5, 0, 2}}) {
    const Interleaving items(lengths);
    std::vector<std::size_t> next(lengths.size(), 0);
    std::size_t all = 0;
    for (const std::size_t length : lengths) all += length;
    ASSERT_EQ(items.size(), all);
    for (std::size_t item = 0; item < items.size(); ++item) {
      const auto [list, index] = items.at(item);
      EXPECT_EQ(index, next[list]++);
    }
    EXPECT_EQ(next, lengths);
  }
}

TEST(Interleaving, KeepsEveryListAtTheSameShareOfItsLength) {
  const std::vector<std::size_t> lengths{100, 30, 7, 1};
  const Interleaving items(lengths);
  std::vector<double> done(lengths.size(), 0);
  for (std::size_t item = 0; item < items.size(); ++item) {
    done[items.at(item).list] += 1;
    const double share = done[0] / 100;
    for (std::size_t list = 0; list < lengths.size(); ++list) {
      EXPECT_LE(std::abs(done[list] - share * static_cast<double>(lengths[list])), 1.3 + 1e-9)
          << item << ": one item for rounding down, a turn for the order within a round";
    }
  }
}

TEST(Interleaving, OfOneListIsItsOrderAndOfNoneIsEmpty) {
  const Interleaving items({5});
  for (std::size_t item = 0; item < 5; ++item) EXPECT_EQ(items.at(item).index, item);
  EXPECT_EQ(Interleaving({}).size(), 0U);
}

TEST(Interleaving, NeedsNoTableHoweverManyItems) {
  const std::size_t many = 80'000'000;
  const Interleaving items({many, many / 2});
  EXPECT_EQ(items.size(), many / 2 * 3);
  const auto last = items.at(items.size() - 1);
  EXPECT_EQ(last.list, 1U);
  EXPECT_EQ(last.index, many / 2 - 1);
}

}  // namespace
}  // namespace dbandit::sim
