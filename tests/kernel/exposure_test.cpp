#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel/internals.hpp"
#include "kernel/lanes.hpp"
#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// Ñ as the fast engine computes it, against the definition on the same actions. With two arms and θ = (2^-10, 0) the regret is
/// 2^-10 Ñ of the second, exactly; conversions are rare and cost little.
namespace dbandit::testing {
namespace {

constexpr double kGap = 0x1p-10;

struct World {
  double mean;
  model::Window window;
  std::int64_t horizon;

  friend void PrintTo(const World& world, std::ostream* out) { *out << "mean " << world.mean << " window " << world.window.value_or(0); }
};

model::Experiment experiment_in(const World& world, std::string_view policy) {
  model::Experiment e = experiment(*policy::find(policy), {{kGap, 0}, model::Geometric{world.mean}}, world.window, world.horizon, 3);
  e.at = {1, 63, 64, 65, 1000, world.horizon / 3, world.horizon / 2, world.horizon};
  return e;
}

/// Σ_s 1{A_s = 1} τ_{min(t−s,m)} at the recorded rounds, in extended precision.
std::vector<double> defined(const model::Experiment& e, const model::Paths& paths, std::size_t lane) {
  const long double log_ratio = -std::log1p(1.0L / model::mean(e.problem.delay));
  std::vector<long double> tau;
  for (std::int64_t d = 0; d <= e.window.value_or(e.horizon); ++d) tau.push_back(-std::expm1(static_cast<long double>(d + 1) * log_ratio));
  std::vector<double> exposure;
  for (const std::int64_t t : e.at) {
    long double sum = 0;
    for (std::int64_t s = 1; s <= t; ++s) {
      if (paths.actions[static_cast<std::size_t>(s - 1) * paths.lanes + lane] == 1)
        sum += tau[static_cast<std::size_t>(visible_age(e.window, t, s))];
    }
    exposure.push_back(static_cast<double>(sum));
  }
  return exposure;
}

void expect_the_definition(const model::Experiment& e, const model::Paths& paths, std::size_t lanes) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::vector<double> exposure = defined(e, paths, lane);
    for (std::size_t row = 0; row < e.at.size(); ++row) {
      EXPECT_NEAR(paths.regret[row * paths.lanes + lane] / kGap, exposure[row], 1e-9) << "round " << e.at[row] << " lane " << lane;
    }
  }
}

class ExposureIn : public ::testing::TestWithParam<World> {};
INSTANTIATE_TEST_SUITE_P(Kernel, ExposureIn,
                         ::testing::Values(World{5000, {}, 1'000'000}, World{5000, 2000, 1'000'000}, World{500, 1000, 200'000},
                                           World{5000, 30'000, 100'000}, World{20, {}, 50'000}, World{0.3, 3, 20'000}),
                         [](const auto& info) {
                           return "mean" + std::to_string(static_cast<int>(info.param.mean)) + "window" +
                                  (info.param.window ? std::to_string(*info.param.window) : "none");
                         });

// Uniform play: the actions do not depend on Ñ, so both implementations meet the same ones.
TEST_P(ExposureIn, ByRecursionAndByBufferIsTheDefinitionOnACommonSequence) {
  const model::Experiment e = experiment_in(GetParam(), "uniform");
  const model::Block block{.first = 0, .count = 2};
  const model::Paths recursion = simulate(kernel::best_target(), e, block, model::Exposure::recursion);
  const model::Paths buffer = simulate(kernel::best_target(), e, block, model::Exposure::buffer);
  ASSERT_EQ(recursion.actions, buffer.actions);
  expect_the_definition(e, recursion, 2);
  for (std::size_t cell = 0; cell < buffer.regret.size(); ++cell)
    EXPECT_NEAR(buffer.regret[cell] / kGap, recursion.regret[cell] / kGap, 1e-9);
}

// A learner: here the buffer is summed in every round. A huge ε keeps both arms in play.
TEST_P(ExposureIn, OfALearnerIsTheDefinitionOnItsOwnSequence) {
  World world = GetParam();
  if (world.window.value_or(1'000'000) > 200) world.window = 200, world.horizon = std::min<std::int64_t>(world.horizon, 100'000);
  model::Experiment e = experiment_in(world, "d-ucb");
  e.rule.epsilon = 1e4;
  for (const model::Exposure exposure : kExposures) {
    const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 2}, exposure);
    EXPECT_GT(paths.pulls[paths.lanes], 0.3 * static_cast<double>(e.horizon));
    expect_the_definition(e, paths, 2);
  }
}

/// Uniform play with ties to the lowest arm: the second arm is pulled in the start and never again.
model::Experiment idle(const model::Window& window) {
  model::Experiment e = experiment_in({500, window, 600'000}, "uniform");
  e.rule.ties = model::Ties::lowest;
  e.at = {e.horizon};
  return e;
}

class IdleArm : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Kernel, IdleArm, EachTarget(), kTargetName);

TEST_P(IdleArm, KeepsItsOnePull) {
  for (const model::Window& window : {model::Window{}, model::Window{1000}}) {
    const model::Paths paths =
        simulate(GetParam(), idle(window), {.first = 0, .count = 8}, model::Exposure::recursion, model::Solver::direct, false);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(paths.pulls[paths.lanes + lane], 1);
      EXPECT_NEAR(paths.regret[lane] / kGap, window ? model::cdf(model::Geometric{500}, *window) : 1, 1e-15);
    }
  }
}

// At μ = 500 the deficit of an idle arm reaches the denormal numbers after 3.6e5 rounds; there a product takes a hundred times as long,
// and rounding would keep it there for ever.
TEST(IdleArms, NeverLeaveADenormalBehind) {
  for (const model::Window& window : {model::Window{}, model::Window{1000}}) {
    const model::Experiment e = idle(window);
    kernel::Workspace workspace;
    kernel::State& state = workspace.prepare(e, {.first = 0, .count = 8}, model::Exposure::recursion, model::Solver::direct);
    for (std::int64_t round = 1; round < e.horizon; round += 1000) {
      kernel::rounds<kernel::Baseline, false>(state, round, round + 999);
      for (std::size_t cell = 0; cell < state.books.cells(); ++cell)
        ASSERT_NE(std::fpclassify(state.exposure.deficit.scaled[cell]), FP_SUBNORMAL) << round;
    }
    EXPECT_EQ(state.exposure.deficit.scaled[state.books.lanes], 0);
  }
}

TEST_P(IdleArm, LeavesTheCallersFloatingPointModeAlone) {
  const auto before = kernel::floating_point_mode<kernel::Baseline>();
  model::Experiment e = experiment_in({500, {}, 10}, "ud-ucb");
  e.at = {10};
  simulate(GetParam(), e, {.first = 0, .count = 8});
  EXPECT_EQ(kernel::floating_point_mode<kernel::Baseline>(), before);
  EXPECT_EQ(before & kernel::kFlushDenormals, 0u);
}

}  // namespace
}  // namespace dbandit::testing
