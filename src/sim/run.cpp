#include "dbandit/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "dbandit/core/error.hpp"
#include "dbandit/reference/simulate.hpp"
#include "dbandit/sim/block.hpp"
#include "dbandit/sim/memory.hpp"
#include "dbandit/sim/plan.hpp"
#include "dbandit/sim/validate.hpp"

namespace dbandit::sim {

namespace {

constexpr int kMostThreads = 4096;

int thread_count(const RunOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw UserError(fmt::format("--threads: {} is not an integer from 1 to {}, or 0 for all cores", options.threads, kMostThreads));
  }
  if (options.executor == Executor::serial) return 1;
  return options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void refuse_what_cannot_fit(const Spec& spec, int threads) {
  const double needed = memory_bytes(spec, threads);
  const double available = available_bytes();
  if (needed <= available) return;
  constexpr double giga = 1e9;
  throw UserError(fmt::format(
      "memory: {} threads need about {:.1f} GB, there are {:.1f} GB; allowed is what fits: fewer --threads, a shorter --censor, "
      "--delay or --horizon, fewer arms or rounds in --at",
      threads, needed / giga, available / giga));
}

Simulate engine(const Spec& spec, const kernel::Target* target) {
  if (target == nullptr) {
    return [exposure = spec.exposure](const auto& experiment, const auto& block, auto& paths) {
      reference::simulate(experiment, block, exposure, paths);
    };
  }
  return [=, exposure = spec.exposure, solver = spec.solver](const auto& experiment, const auto& block, auto& paths) {
    target->simulate(experiment, block, exposure, solver, paths, nullptr);
  };
}

}  // namespace

Result run(const Spec& given, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  Spec& spec = result.spec = normalised(given);
  validate(spec);
  result.threads = thread_count(options);
  refuse_what_cannot_fit(spec, result.threads);

  const kernel::Target* target = nullptr;
  if (spec.engine == Engine::simd) target = options.target != nullptr ? options.target : &kernel::best_target();
  result.target = target != nullptr ? target->name : "scalar";
  const Simulate simulate = engine(spec, target);
  const Plan plan = sim::plan(spec);
  std::vector<model::Experiment> experiments;
  for (const std::string& policy : spec.policies) experiments.push_back(experiment(spec, policy));

  // Blocks are simulated in any order and folded in plan order, so no schedule can change a byte.
  std::vector<Workspace> workspaces(static_cast<std::size_t>(result.threads));
  std::vector<BlockOutcome> outcomes(slots(result.threads));
  if (options.from != nullptr) {
    result.stats = options.from->stats;
    result.timing = options.from->timing;
    result.blocks_done = options.from->blocks;
  }
  result.timing.policy_seconds.resize(experiments.size());
  const std::size_t first = result.blocks_done;
  const auto seconds = [before = result.timing.seconds, start] {
    return before + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto produce = [&](const Place& place) {
    simulate_block(simulate, experiments, plan.block(first + place.item), workspaces[place.worker], outcomes[place.slot]);
  };
  const auto fold = [&](const Place& place) {
    const BlockOutcome& outcome = outcomes[place.slot];
    result.stats.merge(outcome.stats);
    for (std::size_t i = 0; i < experiments.size(); ++i) result.timing.policy_seconds[i] += outcome.policy_seconds[i];
    result.timing.replica_rounds +=
        static_cast<double>(plan.block(first + place.item).count * experiments.size()) * static_cast<double>(spec.horizon);
    ++result.blocks_done;
    result.timing.seconds = seconds();
    if (options.progress) options.progress(result.blocks_done, plan.blocks);
    if (options.folded) options.folded(result);
  };
  for_each_in_order(options.executor, result.threads, plan.blocks - first, options.stop, produce, fold);
  result.complete = result.blocks_done == plan.blocks;

  const model::Problem problem{spec.theta, spec.delay};
  if (spec.censor) result.censored = model::slopes(problem, spec.censor, spec.epsilon);
  result.uncensored = model::slopes(problem, {}, spec.epsilon);
  result.timing.seconds = seconds();
  return result;
}

}  // namespace dbandit::sim
