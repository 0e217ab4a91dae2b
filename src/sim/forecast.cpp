#include "sim/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/clock.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/memory.hpp"
#include "sim/plan.hpp"

namespace dbandit::sim {

namespace {

constexpr std::size_t kMostCalibrated = 12;
constexpr std::int64_t kFirstTrial = 64;

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double rounds_of(const Spec& spec) {
  return static_cast<double>(spec->replicas) * static_cast<double>(spec->horizon) * static_cast<double>(spec->policies.size());
}

/// What `rounds` rounds cost relative to each other: a recursion's all the same; sums over past pulls grow with the past, up to the
/// window for the buffer and for ever for the history.
double work(const Spec& spec, std::int64_t rounds) {
  const auto t = static_cast<double>(rounds);
  if (spec.exposure() == model::Exposure::recursion) return t;
  const bool bounded = spec.exposure() == model::Exposure::buffer && spec->censor;
  const double reach = bounded ? static_cast<double>(std::min(*spec->censor, spec->horizon)) : static_cast<double>(spec->horizon);
  const double growing = std::min(t, reach);
  return growing * (growing + 1) / 2 + (t - growing) * reach;
}

/// The first rounds of a spec, played by one policy on one block of replicas.
Spec trial(const Spec& spec, const Policy& policy, std::int64_t rounds) {
  Settings part = *spec;
  part.policies.assign(1, policy);
  part.until.reset();
  part.replicas = std::min<std::int64_t>(spec->replicas, static_cast<std::int64_t>(plan(spec).block_lanes));
  part.horizon = rounds;
  std::erase_if(part.at, [&](std::int64_t round) { return round > rounds; });
  return part;
}

/// CPU seconds of one policy on one block, all rounds. Rounds double until the budget is half spent; what is left is the last
/// doubling, extended: the first rounds, which are mostly ties, are dearer than the rest.
double block_seconds(const Spec& spec, const Policy& policy, const kernel::Target* target, double budget) {
  const auto seconds = [&](std::int64_t rounds) {
    const double start = process_cpu_seconds();
    run(trial(spec, policy, rounds), {.threads = 1, .target = target, .executor = Executor::serial});
    return seconds_between(start, process_cpu_seconds());
  };
  const auto first = std::max(kFirstTrial, static_cast<std::int64_t>(spec->theta.size()));
  std::int64_t shorter = std::min(spec->horizon, first);
  double before = seconds(shorter), spent = before;
  if (shorter == spec->horizon) return seconds(shorter);  // the first had to warm up
  for (;;) {
    const std::int64_t rounds = std::min(spec->horizon, 2 * shorter);
    const double last = seconds(rounds);
    spent += last;
    if (rounds == spec->horizon) return last;
    if (spent > budget / 2) {
      const double beyond = (work(spec, spec->horizon) - work(spec, rounds)) / (work(spec, rounds) - work(spec, shorter));
      return last + std::max(0.0, last - before) * beyond;
    }
    shorter = rounds;
    before = last;
  }
}

}  // namespace

Forecast forecast(std::span<const Spec> specs, int threads, const kernel::Target* target, double budget) {
  Forecast forecast;
  for (const Spec& spec : specs) {
    forecast.cells += spec->policies.size();
    forecast.blocks += plan(spec).blocks;
    forecast.replica_rounds += rounds_of(spec);
  }
  forecast.memory_bytes = process_bytes() + memory_bytes(specs, threads);
  if (const double available = available_bytes(); forecast.memory_bytes > available) {
    throw UserError(
        fmt::format("memory: about {:.1f} GB would be needed, there are {:.1f} GB; allowed is what fits: fewer --threads, a "
                    "shorter --censor, --delay or --horizon, fewer arms, cells or rounds in --at",
                    forecast.memory_bytes / 1e9, available / 1e9));
  }

  const double start = process_cpu_seconds();
  const std::size_t calibrated = std::min(specs.size(), kMostCalibrated);
  double known_rounds = 0, known_seconds = 0;
  for (std::size_t i = 0; i < calibrated; ++i) {
    const Spec& spec = specs[i * specs.size() / calibrated];
    const double share = budget / static_cast<double>(calibrated * spec->policies.size());
    for (const Policy& policy : spec->policies) {
      const auto lanes = static_cast<double>(trial(spec, policy, spec->horizon)->replicas);
      const double pace = block_seconds(spec, policy, target, share) / (lanes * static_cast<double>(spec->horizon));
      auto known = std::ranges::find(forecast.paces, policy.id, &Forecast::Pace::policy);
      if (known == forecast.paces.end()) known = forecast.paces.insert(known, {policy.id, 0});
      known->seconds += pace / static_cast<double>(calibrated);
      known_seconds += pace * static_cast<double>(spec->replicas) * static_cast<double>(spec->horizon);
    }
    known_rounds += rounds_of(spec);
  }
  forecast.cpu_seconds = known_seconds * forecast.replica_rounds / known_rounds;
  forecast.calibration_seconds = seconds_between(start, process_cpu_seconds());
  return forecast;
}

}  // namespace dbandit::sim
