#include "dbandit/sim/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/executor.hpp"
#include "dbandit/sim/plan.hpp"
#include "dbandit/sim/result.hpp"

namespace dbandit::sim {

namespace {

/// Q: rounds in which a conversion can be pending, for the policy that waits longest.
double pending_rounds(const Spec& spec) {
  std::int64_t rounds = 0;
  for (const Policy& policy : spec->policies) {
    const model::Window window = spec.window(policy);
    rounds = std::max(rounds, window ? *window : std::max(model::longest(spec->delay), model::longest(spec.believed())));
  }
  return static_cast<double>(std::min(spec->horizon, rounds)) + 1;
}

}  // namespace

double memory_bytes(const Spec& spec, int threads) {
  const auto n = static_cast<double>(threads);
  const auto lanes = static_cast<double>(plan(spec).block_lanes);
  const auto arms = static_cast<double>(spec->theta.size());
  const auto policies = static_cast<double>(spec->policies.size());
  const auto rows = 3 * static_cast<double>(spec->at.size()) + arms;
  const double pending = pending_rounds(spec);
  const double history = spec.engine() == Engine::reference ? 64 * static_cast<double>(spec->horizon) : 0;
  const double working = n * (lanes * (8 * rows + 128 * arms + 16 * pending) + 144 * pending + history);
  const auto spread = static_cast<double>(spread_records(spec->at.size()).size());
  const double statistics = static_cast<double>(slots(threads) + 1) * policies * (24 * (rows + policies) + 4 * lanes * spread);
  return working + statistics + 65536 * policies * spread;
}

double available_bytes() {
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return physical;
  return std::min(physical, static_cast<double>(limit.rlim_cur));
}

}  // namespace dbandit::sim
