#include "sim/forecast.hpp"

#include <gtest/gtest.h>

#include "dbandit/sim/run.hpp"
#include "sim/memory.hpp"
#include "sim/paired.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

Settings small() { return small_problem(300, {"d-klucb", "uniform"}, 200); }

TEST(Forecast, AddsUpTheSpecsOfAJob) {
  const std::vector<Spec> job{small(), small(), small()};
  const Forecast one = forecast({job.data(), 1}, 2, nullptr, 0.01), all = forecast(job, 2, nullptr, 0.01);
  EXPECT_EQ(all.cells, 3 * one.cells);
  EXPECT_EQ(all.blocks, 3 * one.blocks);
  EXPECT_EQ(all.replica_rounds, 3 * one.replica_rounds);
  EXPECT_GT(one.memory_bytes, memory_bytes(job[0], 2) + 3e6) << "the process itself is in it";
  EXPECT_GT(all.memory_bytes, one.memory_bytes) << "every spec keeps its statistics";
  EXPECT_LT(all.memory_bytes, 3 * one.memory_bytes) << "threads work in the same place for all";
  ASSERT_EQ(all.paces.size(), 2u);
  for (const auto& pace : all.paces) EXPECT_GT(pace.seconds, 0) << pace.policy;
}

TEST(Forecast, OfALongHorizonIsKnownFromAShortTrial) {
  Settings spec = small();
  spec.at.clear();
  spec.horizon = 1'000'000'000;
  spec.replicas = 1'000'000;
  const Spec job = spec;
  const Forecast found = forecast({&job, 1}, 1, nullptr, 0.01);
  EXPECT_EQ(found.replica_rounds, 2e15);
  EXPECT_GT(found.cpu_seconds, 1e4) << "no machine has replica-rounds of 5 picoseconds";
}

TEST(PairedDifferences, OfTwoPoliciesOfOneRunAreThoseTheRunFound) {
  Settings a = small(), b = small();
  b.epsilon = 0.7;
  const std::vector<Policy> ids{"d-klucb"};
  const stats::Moments found = paired_differences(a, b, ids, {.threads = 3}).front();
  EXPECT_EQ(found.count, 200);
  // The mean of differences is the difference of means; folded in the same order, up to rounding.
  const auto mean = [](const Spec& spec) { return run(spec, {}).stats.policies.front().regret.back().mean; };
  EXPECT_NEAR(found.mean, mean(b) - mean(a), 1e-9);
  EXPECT_EQ(paired_differences(a, a, ids, {.threads = 2}).front().variance, 0);
}

}  // namespace
}  // namespace dbandit::sim
