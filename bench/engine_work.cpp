#include "engine_work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "dbandit/sim/run.hpp"
#include "kernel/lanes.hpp"
#include "reference/simulate.hpp"
#include "sim/plan.hpp"

namespace dbandit::bench {
namespace {

void simulate(const EngineCase& given, const model::Experiment& experiment, const model::Block& block, model::Paths& paths,
              kernel::Profile* profile) {
  if (given.target == nullptr) {
    reference::simulate(experiment, block, model::Exposure::buffer, paths);
  } else {
    given.target->simulate(experiment, block, given.exposure, given.solver, paths, profile);
  }
}

/// A problem small enough for the reference, whose delays, window and start all play a part.
EngineCase small(EngineCase given) {
  if (given.window) given.window = 20;
  given.horizon = 100 + static_cast<std::int64_t>(given.arms);
  given.lanes = kLaneGroup;
  return given;
}

model::Paths small_paths(const EngineCase& given) {
  sim::Settings spec = bench::spec(given);
  if (given.law.empty()) spec.delay = model::Geometric{10};
  model::Paths paths;
  paths.traced = true;
  simulate(given, sim::experiment(spec, given.policy), {0, given.lanes}, paths, nullptr);
  return paths;
}

/// The reference's paths, simulated once for all targets.
const model::Paths& expected_paths(EngineCase given) {
  static std::map<std::tuple<std::string, std::size_t, bool, std::string, std::vector<double>>, model::Paths> known;
  auto& paths = known[{given.policy, given.arms, given.window.has_value(), given.law, given.theta}];
  given.target = nullptr;
  if (paths.lanes == 0) paths = small_paths(given);
  return paths;
}

std::string fault(const EngineCase& given) {
  const model::Paths actual = small_paths(small(given));
  const model::Paths& expected = expected_paths(small(given));
  if (actual.actions != expected.actions) return "plays other arms than the reference";
  for (std::size_t i = 0; i < expected.regret.size(); ++i) {
    const double error = 1e-9 + given.tolerance;
    if (!(std::abs(actual.regret[i] - expected.regret[i]) <= error * (1 + std::abs(expected.regret[i])))) {
      return "its regret is not the reference's";
    }
  }
  return {};
}

std::size_t lanes(const EngineCase& given) {
  if (given.lanes != 0) return given.lanes;
  return given.target == nullptr ? 1 : sim::plan(spec(given)).block_lanes;
}

}  // namespace

std::vector<double> low_rates(std::size_t arms) {
  std::vector<double> rates{0.1};
  while (rates.size() < arms) rates.push_back(rates.size() % 2 == 1 ? 0.05 : 0.03);
  return rates;
}

sim::Settings spec(const EngineCase& given) {
  sim::Settings spec;
  spec.theta = given.theta.empty() ? low_rates(given.arms) : given.theta;
  spec.delay = given.law.empty() ? model::Delays(model::Geometric{given.mean_delay}) : model::parse_delays(given.law);
  spec.censor = given.window;
  spec.horizon = given.horizon;
  spec.policies = {given.policy};
  spec.at = sim::default_rounds(given.horizon);
  spec.engine = given.target == nullptr ? sim::Engine::reference : given.engine;
  if (spec.engine == sim::Engine::reference) return spec;
  spec.exposure = {given.exposure, given.tolerance};
  spec.solver = given.solver;
  return spec;
}

Work engine_work(const EngineCase& given) {
  const model::Block block{0, lanes(given)};
  auto paths = std::make_shared<model::Paths>();
  return {.items = static_cast<double>(block.count) * static_cast<double>(given.horizon),
          .run =
              [given, block, paths, experiment = sim::experiment(spec(given), given.policy)] {
                simulate(given, experiment, block, *paths, nullptr);
                keep(paths->regret.data());
              },
          .fault = [given] { return fault(given); }};
}

Work run_work(std::int64_t replicas, std::int64_t horizon, int threads) {
  sim::Settings spec = bench::spec({.horizon = horizon});
  spec.replicas = replicas;
  spec.at = {horizon};  // records are a cost of their own, the same at every horizon
  return {.items = static_cast<double>(replicas) * static_cast<double>(horizon),
          .run =
              [=] {
                const sim::Result result = sim::run(spec, {.threads = threads});
                keep(&result);
              },
          .fault =
              [=] {
                sim::Settings few = bench::spec({.horizon = 100});
                few.replicas = 20;
                const double actual = sim::run(few, {.threads = threads}).stats.policies[0].regret.back().mean;
                few.engine = sim::Engine::reference;
                few.exposure.reset();
                few.solver.reset();
                const double expected = sim::run(few, {.threads = 1}).stats.policies[0].regret.back().mean;
                return std::abs(actual - expected) <= 1e-9 * expected ? "" : "its regret is not the reference's";
              }};
}

Profiled profile(const EngineCase& given) {
  kernel::Profile ticks;
  model::Paths paths;
  const model::Experiment experiment = sim::experiment(spec(given), given.policy);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t first = kernel::time_stamp<kernel::Baseline>();
  simulate(given, experiment, {0, lanes(given)}, paths, &ticks);
  const auto all = static_cast<double>(kernel::time_stamp<kernel::Baseline>() - first);
  const double seconds_per_tick = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / all;
  Profiled profiled;
  profiled.other = all * seconds_per_tick;
  for (std::size_t stage = 0; stage < ticks.ticks.size(); ++stage) {
    profiled.seconds[stage] = ticks.ticks[stage] * seconds_per_tick;
    profiled.other -= profiled.seconds[stage];
  }
  profiled.decided_exactly = ticks.decisions > 0 ? ticks.resolved / ticks.decisions : 0;
  profiled.rounds_per_look = ticks.looks > 0 ? ticks.leapt / ticks.looks : 0;
  return profiled;
}

std::string target_name(const kernel::Target* target) { return std::string(target == nullptr ? "scalar" : target->name); }

std::vector<const kernel::Target*> supported_targets() {
  std::vector<const kernel::Target*> found;
  for (const kernel::Target& target : kernel::targets()) {
    if (target.supported()) found.push_back(&target);
  }
  return found;
}

}  // namespace dbandit::bench
