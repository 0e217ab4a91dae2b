#include "dbandit/sim/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dbandit::sim {
namespace {

Spec spec_of(std::size_t arms, std::int64_t replicas) {
  Spec spec;
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

}  // namespace
}  // namespace dbandit::sim
