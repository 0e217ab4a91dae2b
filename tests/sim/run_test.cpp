#include "dbandit/sim/run.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dbandit/core/error.hpp"
#include "reference/simulate.hpp"
#include "sim/bytes.hpp"
#include "sim/executors.hpp"
#include "sim/memory.hpp"
#include "sim/plan.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

Settings small() { return by_reference(small_problem(40, {"d-ucb", "ud-klucb"}, 300, {10})); }

std::string refusal(const Settings& spec, const RunOptions& options) {
  try {
    run(spec, options);
    return {};
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
}

TEST(Run, TellsWhatItDid) {
  const Result result = run(small(), {.threads = 2});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.blocks_done, 3U);
  EXPECT_EQ(result.spec, Spec(small()));
  EXPECT_EQ(result.spec->at, (std::vector<std::int64_t>{10, 40}));
  EXPECT_EQ(result.target, "scalar");
  EXPECT_EQ(result.threads, 2);
  EXPECT_EQ(result.timing.replica_rounds, 2.0 * 300 * 40);
  ASSERT_EQ(result.stats.policies.size(), 2U);
  EXPECT_EQ(result.stats.policies[0].regret.size(), 2U);
  EXPECT_EQ(result.stats.policies[0].pulls.size(), 2U);
  EXPECT_EQ(result.stats.policies[1].regret[1].count, 300);
  EXPECT_EQ(result.stats.paired.size(), 1U);
  EXPECT_EQ(result.timing.policy_seconds.size(), 2U);
}

TEST(Run, CarriesTheSlopesOfBothSettings) {
  Settings spec = small();
  const model::Problem problem{spec.theta, spec.delay};
  const Result both = run(spec, {.threads = 1});
  EXPECT_EQ(both.censored.lower, model::slopes(problem, spec.censor, 0).lower);
  EXPECT_EQ(both.uncensored.lower, model::slopes(problem, {}, 0).lower);
  spec.censor.reset();
  spec.policies = {"ud-ucb"};
  spec.epsilon = 0.5;
  const Result one = run(spec, {.threads = 1});
  EXPECT_EQ(one.censored.ucb, 0);
  EXPECT_EQ(one.uncensored.ucb, model::slopes(problem, {}, 0.5).ucb);
}

TEST(Run, TheReferenceIsTheEngineWhenItIsAskedFor) {
  Settings spec = small();
  spec.replicas = 100;
  model::Paths paths;
  reference::simulate(experiment(spec, "ud-klucb"), plan(spec).block(0), model::Exposure::buffer, paths);
  stats::ExactSums sums;
  sums.add(std::span(paths.regret).subspan(paths.lanes, 100), plan(spec).grid);
  const stats::Moments last_regret = sums.moments(plan(spec).grid);
  EXPECT_EQ(bytes({run(spec, {.threads = 1}).stats.policies[1].regret[1]}), bytes({last_regret}));
}

model::Exposure seen_exposure;
model::Solver seen_solver;

TEST(Run, AForcedTargetIsTheOneThatRunsWithTheSpecsExposureAndSolver) {
  kernel::Target spy = kernel::best_target();
  spy.name = "spy";
  spy.simulate = [](const auto& experiment, const auto& block, auto exposure, auto solver, auto& paths, auto...) {
    seen_exposure = exposure;
    seen_solver = solver;
    reference::simulate(experiment, block, model::Exposure::buffer, paths);
  };
  Settings spec = small();
  spec.engine = Engine::simd;
  spec.exposure = model::Exposure::recursion;
  spec.solver = model::Solver::newton;
  const Result forced = run(spec, {.threads = 1, .target = &spy});
  EXPECT_EQ(forced.target, "spy");
  EXPECT_EQ(seen_exposure, model::Exposure::recursion);
  EXPECT_EQ(seen_solver, model::Solver::newton);
  EXPECT_EQ(bytes(forced.stats), bytes(run(small(), {.threads = 1}).stats));
  EXPECT_EQ(run(spec, {.threads = 1}).target, kernel::best_target().name);
}

TEST(Run, ProgressCountsEveryBlockOnceAndInOrder) {
  for (const Executor executor : executors()) {
    std::vector<std::size_t> seen;
    const auto progress = [&](std::size_t done, std::size_t of) {
      EXPECT_EQ(of, 3U);
      seen.push_back(done);
    };
    run(small(), {.threads = 3, .executor = executor, .progress = progress});
    EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
  }
}

TEST(RunAll, GivesEverySpecWhatItWouldGetAlone) {
  std::vector<Settings> settings(3, small());
  settings[1].replicas = 1000;
  settings[1].theta = {0.2, 0.5, 0.1};
  settings[1].policies = {"uniform"};
  settings[2].replicas = 1;
  settings[2].horizon = 90;
  settings[2].at = {};
  const std::vector<Spec> specs(settings.begin(), settings.end());
  for (const Executor executor : executors()) {
    const std::vector<Result> together = run_all(specs, {.threads = 3, .executor = executor});
    ASSERT_EQ(together.size(), 3U);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const Result alone = run(specs[i], {.threads = 1});
      EXPECT_EQ(together[i].spec, alone.spec);
      EXPECT_EQ(bytes(together[i].stats), bytes(alone.stats));
      EXPECT_TRUE(together[i].complete);
      EXPECT_EQ(together[i].blocks_done, alone.blocks_done);
      EXPECT_EQ(together[i].timing.replica_rounds, alone.timing.replica_rounds);
    }
  }
}

TEST(RunAll, SharesItsSecondsByCpuTime) {
  Settings longer = small();
  longer.replicas = 3000;
  const std::vector<Spec> specs{small(), longer};
  const std::vector<Result> results = run_all(specs, {.threads = 2});
  const auto cpu = [](const Result& result) { return result.timing.policy_seconds[0] + result.timing.policy_seconds[1]; };
  ASSERT_GT(cpu(results[0]), 0);
  ASSERT_NE(cpu(results[0]), cpu(results[1]));
  const double one = results[0].timing.seconds * cpu(results[1]), other = results[1].timing.seconds * cpu(results[0]);
  EXPECT_NEAR(one, other, 1e-9 * one);
}

TEST(RunAll, ProgressCountsTheBlocksOfAll) {
  std::size_t last = 0;
  const auto progress = [&](std::size_t done, std::size_t of) {
    EXPECT_EQ(of, 6U);
    EXPECT_EQ(done, ++last);
  };
  run_all(std::vector<Spec>(2, small()), {.threads = 2, .progress = progress});
  EXPECT_EQ(last, 6U);
}

TEST(RunAll, StoppedHasAPrefixOfEverySpec) {
  std::vector<Settings> settings(2, small());
  settings[0].replicas = 128 * 40;
  settings[1].replicas = 128 * 20;
  const std::vector<Spec> specs(settings.begin(), settings.end());
  std::stop_source source;
  const auto progress = [&](std::size_t done, std::size_t) {
    if (done == 30) source.request_stop();
  };
  const std::vector<Result> results = run_all(specs, {.threads = 1, .progress = progress, .stop = source.get_token()});
  EXPECT_FALSE(results[0].complete || results[1].complete);
  EXPECT_GE(results[0].blocks_done, 19U);
  EXPECT_GE(results[1].blocks_done, 9U);
}

TEST(RunAll, OfNothingIsNothing) { EXPECT_TRUE(run_all({}, {}).empty()); }

TEST(Run, RefusesWhatCannotRunBeforeItBegins) {
  Settings spec = small();
  spec.theta[0] = 2;
  EXPECT_TRUE(refusal(spec, {}).starts_with("--theta: 2 ")) << refusal(spec, {});
  EXPECT_EQ(refusal(small(), {.threads = -1}), "--threads: -1 is not an integer from 0 (all cores) to 1024");
  EXPECT_EQ(refusal(small(), {.threads = 1025}), "--threads: 1025 is not an integer from 0 (all cores) to 1024");
}

TEST(Run, RefusesWhatCannotFitBeforeItBegins) {
  Settings spec = small();
  spec.engine = Engine::simd;
  spec.exposure = model::Exposure::recursion;
  spec.censor = spec.horizon = 1000000000;
  const std::string line = refusal(spec, {.threads = 2});
  EXPECT_TRUE(line.starts_with("memory: 2 threads need about ") && line.find("--censor") != std::string::npos) << line;
}

TEST(Memory, GrowsWithThreadsPoliciesArmsAndRecordedRounds) {
  Settings spec = small();
  spec.engine = Engine::simd;
  spec.solver.reset();
  spec.exposure = model::Exposure::recursion;
  spec.replicas = 100000;
  const double before = memory_bytes(spec, 2);
  EXPECT_GT(memory_bytes(spec, 3), before);
  Settings more = spec;
  more.policies.push_back("oracle-ucb");
  EXPECT_GT(memory_bytes(more, 2), before);
  more = spec;
  more.theta.insert(more.theta.end(), 1000, 0.1);
  more.horizon = 1002;
  EXPECT_GT(memory_bytes(more, 2), before);
  more = spec;
  more.at.clear();
  for (std::int64_t t = 1; t <= more.horizon; ++t) more.at.push_back(t);
  EXPECT_GT(memory_bytes(more, 2), before);
}

// Statistics are kept for each, and threads work in the same place for all.
TEST(Memory, OfSeveralSpecsIsLessThanThatOfEach) {
  Settings spec = small();
  spec.engine = Engine::simd;
  spec.solver.reset();
  spec.exposure = model::Exposure::recursion;
  const std::vector<Spec> job{spec, spec, spec};
  EXPECT_GT(memory_bytes(job, 2), memory_bytes(spec, 2));
  EXPECT_LT(memory_bytes(job, 2), 3 * memory_bytes(spec, 2));
}

TEST(Memory, OfTheProcessIsMoreThanItsFilesAndLessThanAllThereIs) {
  const double before = process_bytes();
  EXPECT_GT(before, 3e6);
  EXPECT_LT(before, available_bytes());
  const std::vector<char> touched(100'000'000, 1);
  EXPECT_GT(process_bytes(), before + 9e7);
}

TEST(Memory, GrowsNeitherWithTheReplicasNorOnceCensoredWithTheHorizon) {
  Settings spec = small();
  spec.engine = Engine::simd;
  spec.policies = {"d-ucb"};
  spec.horizon = 1000000;  // long enough to leap
  spec.replicas = 1000000;
  const double before = memory_bytes(spec, 2);
  spec.replicas = 10000000000;
  EXPECT_EQ(memory_bytes(spec, 2), before);
  spec.horizon = 1000000000;
  // Nothing but the spread of larger regrets in the last round, which is recorded, as numbers and in a checkpoint.
  EXPECT_LT(memory_bytes(spec, 2), before + 2 * stats::Quantiles::bytes(1e10, 64));
}

}  // namespace
}  // namespace dbandit::sim
