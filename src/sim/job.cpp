#include "job.hpp"

#include <fmt/format.h>

#include "dbandit/core/error.hpp"
#include "dbandit/reference/simulate.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/guest.hpp"
#include "dbandit/sim/machine.hpp"
#include "dbandit/sim/memory.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::sim {

namespace {

void refuse_what_cannot_fit(const Spec& spec, int threads) {
  const double needed = process_bytes() + memory_bytes(spec, threads);
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
    return [exposure = spec.exposure()](const auto& experiment, const auto& block, auto& paths) {
      reference::simulate(experiment, block, exposure, paths);
    };
  }
  return [=, exposure = spec.exposure(), solver = spec.solver()](const auto& experiment, const auto& block, auto& paths) {
    target->simulate(experiment, block, exposure, solver, paths, nullptr);
  };
}

std::vector<Plan> plans_of(const std::vector<Run>& runs) {
  std::vector<Plan> plans;
  for (const Run& run : runs) plans.push_back(run.plan);
  return plans;
}

std::vector<Run> runs_of(std::span<const Spec> specs, const RunOptions& options, int threads) {
  std::vector<Run> runs;
  for (const Spec& spec : specs) runs.emplace_back(spec, options, threads);
  return runs;
}

}  // namespace

int thread_count(const RunOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw UserError(fmt::format("--threads: {} is not an integer from 0 (all cores) to {}", options.threads, kMostThreads));
  }
  if (options.executor == Executor::serial) return 1;
  return options.threads > 0 ? options.threads : cores().usable();
}

Run::Run(const Spec& spec, const RunOptions& options, int threads) : result{.spec = spec} {
  refuse_what_cannot_fit(spec, threads);
  const kernel::Target* target = nullptr;
  if (spec.engine() == Engine::simd) target = options.target != nullptr ? options.target : &kernel::best_target();
  result.target = target != nullptr ? target->name : "scalar";
  result.threads = threads;
  plan = sim::plan(spec);
  simulate = engine_with_guests(engine(spec, target), spec, target, plan, options.guests);
  for (const Policy& policy : spec->policies) {
    experiments.push_back(policy.is_guest() ? guest_experiment(spec, function_of(policy, options.guests)) : experiment(spec, policy));
  }
  const model::Problem problem = spec.problem();
  if (spec->censor) result.censored = model::slopes(problem, spec->censor, spec->epsilon);
  result.uncensored = model::slopes(problem, {}, spec->epsilon);
  result.timing.policy_seconds.resize(experiments.size());
}

void Run::fold(std::size_t block, const BlockOutcome& outcome) {
  result.stats.merge(outcome.stats);
  for (std::size_t i = 0; i < experiments.size(); ++i) result.timing.policy_seconds[i] += outcome.policy_seconds[i];
  result.timing.replica_rounds +=
      static_cast<double>(plan.block(block).count * experiments.size()) * static_cast<double>(result.spec->horizon);
  ++result.blocks_done;
}

Job::Job(std::span<const Spec> specs, const RunOptions& options, int threads)
    : runs_(runs_of(specs, options, threads)), rota_(plans_of(runs_)) {}

void Job::simulate(std::size_t item, Workspace& workspace, BlockOutcome& outcome) const {
  const auto [plan, block] = rota_.turn(item);
  const Run& run = runs_[plan];
  simulate_block(run.simulate, run.experiments, run.plan.block(block), workspace, outcome);
}

void Job::fold(std::size_t item, const BlockOutcome& outcome) {
  const auto [plan, block] = rota_.turn(item);
  runs_[plan].fold(block, outcome);
}

std::string Job::pack(const BlockOutcome& outcome) {
  Encoder encoder;
  for (const double seconds : outcome.policy_seconds) encoder.real(seconds);
  encoder.stats(outcome.stats);
  return encoder.take();
}

bool Job::unpack(std::size_t item, std::string_view bytes, BlockOutcome& outcome) const {
  const Spec& spec = runs_[rota_.turn(item).plan].result.spec;
  Decoder decoder(bytes);
  outcome.policy_seconds.resize(spec->policies.size());
  for (double& seconds : outcome.policy_seconds) seconds = decoder.real();
  outcome.stats = decoder.stats(spec);
  return decoder.is_whole();
}

std::string Job::describe(std::span<const Spec> specs, const RunOptions& options) {
  Encoder encoder;
  encoder.number(static_cast<std::uint64_t>(options.threads));
  encoder.text(options.target != nullptr ? options.target->name : "");
  encoder.number(specs.size());
  for (const Spec& spec : specs) encoder.text(spec_text(spec));
  return encoder.take();
}

}  // namespace dbandit::sim
