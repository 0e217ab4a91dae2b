#include "kernel/targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "dbandit/core/aligned.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/run.hpp"
#include "kernel/internals.hpp"
#include "reference/worlds.hpp"

namespace dbandit::testing {
namespace {

TEST(Targets, AreListedBestFirstDownToTheBaseline) {
  EXPECT_TRUE(std::ranges::equal(kernel::targets(), kEveryTarget, {}, &kernel::Target::name, &Named::name));
  EXPECT_TRUE(kernel::targets().back().supported());
  EXPECT_EQ(kernel::best_target().name, supported_targets().front().name);
}

TEST(Targets, AreFoundByTheirNamesOnly) {
  for (const kernel::Target& target : kernel::targets()) EXPECT_EQ(kernel::find_target(target.name), &target);
  for (const char* name : {"", "avx", "AVX2", "sse2 ", "mmx"}) EXPECT_EQ(kernel::find_target(name), nullptr) << name;
}

TEST(Targets, ShareNoFunction) {
  std::set<const void*> functions;
  for (const kernel::Target& target : kernel::targets()) {
    functions.insert(reinterpret_cast<const void*>(target.simulate));
    functions.insert(reinterpret_cast<const void*>(target.poisson_bounds));
    functions.insert(reinterpret_cast<const void*>(target.draw));
    functions.insert(reinterpret_cast<const void*>(target.supported));
  }
  EXPECT_EQ(functions.size(), 4 * kernel::targets().size());
}

// On any CPU: the rounds say for which instruction set they were compiled.
TEST(AForcedTarget, IsTheOneWhoseRoundsRan) {
  for (const char* id : {"ud-klucb", "d-ts", "agnostic-ucb", "ud-agnostic-klucb", "ud-agnostic-mle-ucb"}) {
    const model::Experiment e = experiment(*policy::find(id), {{0.5, 0.25}, model::Geometric{3}}, 5, 9);
    for (const auto& [name, compiled_for] : kEveryTarget) {
      const kernel::Target& target = *kernel::find_target(name);
      if (!target.supported()) continue;
      simulate(target, e, {.first = 0, .count = 8});
      EXPECT_EQ(kernel::workspace_of_this_thread().state().instruction_set, compiled_for) << id;
    }
  }
}

int blocks_played = 0;

TEST(AForcedTarget, IsTheOneThatARunPlaysOnAndThatTheManifestNames) {
  sim::Settings spec;
  spec.theta = {0.5, 0.25};
  spec.delay = model::Geometric{0};
  spec.horizon = 10;
  spec.policies = {"ud-klucb"};
  spec.replicas = 300;
  kernel::Target counting = kernel::targets().back();
  counting.name = "counting";
  counting.simulate = [](const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver,
                         model::Paths& paths, kernel::Profile* profile) {
    ++blocks_played;
    kernel::targets().back().simulate(experiment, block, exposure, solver, paths, profile);
  };
  blocks_played = 0;
  EXPECT_EQ(report::manifest(sim::run(spec, {.threads = 1, .target = &counting, .executor = sim::Executor::serial})).target, "counting");
  EXPECT_EQ(blocks_played, 3);
}

/// And they are its code: a CPU that lacks it cannot run them. Nothing to see on a CPU that has all.
TEST(AForcedTargetDeathTest, DiesOfAnIllegalInstructionWhereTheCpuLacksIt) {
  for (const kernel::Target& target : kernel::targets()) {
    if (target.supported()) continue;
    const model::Experiment e = experiment(*policy::find("ud-klucb"), {{0.5, 0.25}, model::Geometric{3}}, {}, 9);
    EXPECT_EXIT(simulate(target, e, {.first = 0, .count = 8}), ::testing::KilledBySignal(SIGILL), "") << target.name;
    AlignedVector<double> rows(kLaneGroup, 1.0);
    EXPECT_EXIT(target.poisson_bounds(model::Solver::newton, rows.data(), 1, rows.data(), kLaneGroup), ::testing::KilledBySignal(SIGILL),
                "");
    AlignedVector<std::uint64_t> low(kLaneGroup), high(kLaneGroup);
    EXPECT_EXIT(target.draw(1, rng::Stream::tie, 0, 0, 0, low.data(), high.data(), kLaneGroup), ::testing::KilledBySignal(SIGILL), "");
  }
}

}  // namespace
}  // namespace dbandit::testing
