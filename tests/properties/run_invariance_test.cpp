#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dbandit/sim/run.hpp"
#include "reference/simulate.hpp"
#include "sim/block.hpp"
#include "sim/bytes.hpp"
#include "sim/executors.hpp"
#include "sim/names.hpp"
#include "sim/plan.hpp"

/// What must not change a byte of a run: who runs it, on how many threads, on which target, and what else is run or recorded.
namespace dbandit::sim {
namespace {

Settings spec_on(Engine engine) {
  Settings spec;
  spec.theta = {0.3, 0.25, 0.1};
  spec.delay = model::Geometric{20};
  spec.censor = 30;
  spec.horizon = engine == Engine::simd ? 80 : 40;
  spec.policies = {"d-klucb", "ud-ucb", "discard-klucb", "agnostic-ucb", "uniform"};
  spec.replicas = 1101;  // 9 blocks, the last of 77 replicas
  spec.seed = 5;
  spec.engine = engine;
  if (engine == Engine::reference) {
    spec.exposure = model::Exposure::buffer;
    spec.solver = model::Solver::bisection;
    spec.at = {7, 40};
  }
  return spec;
}

class EveryEngine : public testing::TestWithParam<Engine> {};
INSTANTIATE_TEST_SUITE_P(Run, EveryEngine, testing::Values(Engine::simd, Engine::reference),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(EveryEngine, ThreadsAndExecutorsDoNotChangeAByte) {
  const Spec spec = spec_on(GetParam());
  const std::string expected = bytes(run(spec, {.threads = 1, .executor = Executor::serial}).stats);
  for (const Executor executor : executors()) {
    for (const int threads : {1, 2, 7}) {
      const Result result = run(spec, {.threads = threads, .executor = executor});
      EXPECT_EQ(result.threads, executor == Executor::serial ? 1 : threads);
      EXPECT_EQ(bytes(result.stats), expected) << threads << " threads";
    }
  }
}

TEST_P(EveryEngine, AStoppedRunIsTheRunOfItsFirstBlocks) {
  const Spec spec = spec_on(GetParam());
  for (const Executor executor : executors()) {
    std::stop_source stop;
    RunOptions options{.threads = 1, .executor = executor, .stop = stop.get_token()};
    options.progress = [&](std::size_t done, std::size_t) {
      if (done == 2) stop.request_stop();
    };
    const Result stopped = run(spec, options);
    EXPECT_FALSE(stopped.complete);
    ASSERT_GE(stopped.blocks_done, 2U);
    ASSERT_LT(stopped.blocks_done, plan(spec).blocks);
    Settings shorter = *spec;
    shorter.replicas = static_cast<std::int64_t>(stopped.blocks_done * plan(spec).block_lanes);
    EXPECT_EQ(bytes(stopped.stats), bytes(run(shorter, {.threads = 2}).stats));
    EXPECT_EQ(stopped.timing.replica_rounds, static_cast<double>(shorter.replicas * spec->horizon) * 5);
  }
}

TEST_P(EveryEngine, APolicyIsTheSameAloneAndInCompany) {
  const Spec spec = spec_on(GetParam());
  const Result all = run(spec, {.threads = 2});
  for (std::size_t i = 0; i < spec->policies.size(); ++i) {
    Settings alone = *spec;
    alone.policies.assign(1, spec->policies[i]);
    EXPECT_EQ(bytes(run(alone, {.threads = 2}).stats.policies[0]), bytes(all.stats.policies[i])) << spec->policies[i].id;
  }
}

TEST_P(EveryEngine, WhatIsRecordedDoesNotChangeWhatHappens) {
  Settings spec = spec_on(GetParam());
  const Result usual = run(spec, {.threads = 2});
  spec.at = {spec.horizon};
  const Result last = run(spec, {.threads = 2});
  for (std::size_t i = 0; i < spec.policies.size(); ++i) {
    const PolicyStats& a = usual.stats.policies[i];
    const PolicyStats& b = last.stats.policies[i];
    EXPECT_EQ(bytes({a.regret.back(), a.pseudo_regret.back(), a.realised_regret.back()}),
              bytes({b.regret.back(), b.pseudo_regret.back(), b.realised_regret.back()}));
    EXPECT_EQ(bytes(a.pulls), bytes(b.pulls));
  }
}

TEST(Run, TargetsDoNotChangeAByte) {
  const Settings spec = spec_on(Engine::simd);
  const std::string expected = bytes(run(spec, {.threads = 2}).stats);
  for (const kernel::Target& target : kernel::targets()) {
    if (!target.supported()) continue;
    const Result result = run(spec, {.threads = 2, .target = &target});
    EXPECT_EQ(result.target, target.name);
    EXPECT_EQ(bytes(result.stats), expected) << target.name;
  }
}

}  // namespace
}  // namespace dbandit::sim
