#include "dbandit/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

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

/// One spec of a job, ready to run.
struct Run {
  Result result;
  Plan plan;
  Simulate simulate;
  std::vector<model::Experiment> experiments;

  Run(const Spec& given, const RunOptions& options, int threads) {
    Spec& spec = result.spec = normalised(given);
    validate(spec);
    refuse_what_cannot_fit(spec, threads);
    const kernel::Target* target = nullptr;
    if (spec.engine == Engine::simd) target = options.target != nullptr ? options.target : &kernel::best_target();
    result.target = target != nullptr ? target->name : "scalar";
    result.threads = threads;
    simulate = engine(spec, target);
    plan = sim::plan(spec);
    for (const std::string& policy : spec.policies) experiments.push_back(experiment(spec, policy));
    const model::Problem problem{spec.theta, spec.delay};
    if (spec.censor) result.censored = model::slopes(problem, spec.censor, spec.epsilon);
    result.uncensored = model::slopes(problem, {}, spec.epsilon);
    result.timing.policy_seconds.resize(experiments.size());
  }

  void fold(std::size_t block, const BlockOutcome& outcome) {
    result.stats.merge(outcome.stats);
    for (std::size_t i = 0; i < experiments.size(); ++i) result.timing.policy_seconds[i] += outcome.policy_seconds[i];
    result.timing.replica_rounds +=
        static_cast<double>(plan.block(block).count * experiments.size()) * static_cast<double>(result.spec.horizon);
    ++result.blocks_done;
  }
};

double cpu_seconds(const Run& run) {
  const auto& seconds = run.result.timing.policy_seconds;
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace

std::vector<Result> run_all(std::span<const Spec> specs, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = thread_count(options);
  std::vector<Run> runs;
  std::vector<Plan> plans;
  for (const Spec& spec : specs) plans.push_back(runs.emplace_back(spec, options, threads).plan);

  // Blocks are simulated in any order and folded in plan order, so no schedule and no company can change a byte.
  const Rota rota(std::move(plans));
  std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
  std::vector<BlockOutcome> outcomes(slots(threads));
  const auto produce = [&](const Place& place) {
    const auto [plan, block] = rota.turn(place.item);
    const Run& run = runs[plan];
    simulate_block(run.simulate, run.experiments, run.plan.block(block), workspaces[place.worker], outcomes[place.slot]);
  };
  const auto fold = [&](const Place& place) {
    const auto [plan, block] = rota.turn(place.item);
    runs[plan].fold(block, outcomes[place.slot]);
    if (options.progress) options.progress(place.item + 1, rota.size());
  };
  for_each_in_order(options.executor, threads, rota.size(), options.stop, produce, fold);

  double all_cpu_seconds = 0;
  for (const Run& run : runs) all_cpu_seconds += cpu_seconds(run);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<Result> results;
  for (Run& run : runs) {
    run.result.complete = run.result.blocks_done == run.plan.blocks;
    run.result.timing.seconds = runs.size() == 1 || all_cpu_seconds == 0 ? seconds : seconds * cpu_seconds(run) / all_cpu_seconds;
    results.push_back(std::move(run.result));
  }
  return results;
}

Result run(const Spec& spec, const RunOptions& options) { return std::move(run_all({&spec, 1}, options).front()); }

}  // namespace dbandit::sim
