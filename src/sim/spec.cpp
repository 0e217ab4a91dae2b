#include "dbandit/sim/spec.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "dbandit/policy/catalogue.hpp"

namespace dbandit::sim {

std::vector<std::int64_t> default_rounds(std::int64_t horizon, std::int64_t most) {
  const std::int64_t count = std::min(horizon, most);
  std::vector<std::int64_t> rounds{1};
  // Each step takes its share of the way that is left, so that rounds which must be distinct at the start (1, 2, 3, …) do
  // not thin out the rest.
  for (std::int64_t left = count - 1; left > 0; --left) {
    const double last = static_cast<double>(rounds.back());
    const double next = last * std::pow(static_cast<double>(horizon) / last, 1.0 / static_cast<double>(left));
    rounds.push_back(std::clamp(static_cast<std::int64_t>(std::llround(next)), rounds.back() + 1, horizon - left + 1));
  }
  return rounds;
}

model::Delays believed(const Spec& spec) {
  if (!spec.assume_delay) return spec.delay;
  if (spec.assume_delay->laws.empty()) return model::Geometric{model::average_mean(spec.delay)};
  return *spec.assume_delay;
}

model::Experiment experiment(const Spec& spec, const std::string& policy) {
  const policy::Entry* const entry = policy::find(policy);
  assert(entry != nullptr);
  return {
      .problem = {spec.theta, spec.delay},
      .window = entry->setting == policy::Setting::uncensored ? model::Window{} : spec.censor,
      .rule = {.statistic = entry->statistic,
               .index = entry->index,
               .epsilon = spec.epsilon,
               .clamp = spec.clamp,
               .ties = spec.ties,
               .start = spec.start,
               .radius = spec.radius,
               .gamma = spec.gamma,
               .prior_shape = spec.prior_shape,
               .prior_rate = spec.prior_rate},
      .horizon = spec.horizon,
      .seed = spec.seed,
      .at = spec.at,
      .assumed = spec.assume_delay ? std::optional(believed(spec)) : std::nullopt,
      .tolerance = spec.exposure.tolerance,
  };
}

}  // namespace dbandit::sim
