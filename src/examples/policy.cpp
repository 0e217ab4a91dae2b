// A policy of your own in under 40 lines: explore a little, then trust the delay-corrected estimate S/Ñ. It meets, replica by replica,
// the worlds that `dbandit run` with the same seed gives to the policies of the catalogue.
#include <algorithm>
#include <cstdio>
#include <dbandit/reference/learner.hpp>
#include <dbandit/reference/regret.hpp>
#include <dbandit/rng/draws.hpp>
#include <dbandit/sim/spec.hpp>
#include <dbandit/stats/moments.hpp>

using namespace dbandit;

/// The policy: what it knows of each arm after round t − 1, and which one it plays in round t.
std::size_t greedy(const std::vector<reference::ArmStatistics>& arms, std::int64_t t) {
  if (t <= 100) return static_cast<std::size_t>(t) % arms.size();
  const auto estimate = [](const reference::ArmStatistics& arm) { return arm.conversions / arm.exposure; };
  return static_cast<std::size_t>(std::ranges::max_element(arms, {}, estimate) - arms.begin());
}

int main() {
  const model::Experiment world{
      .problem = {{0.5, 0.4, 0.3}, model::Geometric{50}}, .window = 100, .rule = {}, .horizon = 1000, .seed = 1, .at = {1000}};
  const auto tau = reference::visibility(world.problem.delay, world.window, world.horizon);
  std::vector<double> regrets;
  for (std::uint64_t replica = 0; replica < 200; ++replica) {
    reference::Learner learner(world, model::Exposure::buffer);
    for (std::int64_t t = 1; t <= world.horizon; ++t) {
      const auto round = static_cast<std::uint64_t>(t);
      const std::size_t arm = greedy(learner.statistics(), t);
      const bool converts = rng::open_uniform(rng::conversion_bits(world.seed, replica, round)) < world.problem.theta[arm];
      learner.play(arm, converts, model::delay_at(world.problem.delay, rng::open_uniform(rng::delay_bits(world.seed, replica, round))));
    }
    regrets.push_back(reference::regret(reference::gaps(world.problem), learner.actions(), tau));
  }
  const stats::Moments regret = stats::moments(regrets);
  std::printf("greedy %.2f ± %.2f\n", regret.mean, stats::half_width_95(regret));
}
