#include "kernel/leap/leaps.hpp"

#include <algorithm>

namespace dbandit::kernel {

bool can_leap(const model::Rule& rule) {
  using enum model::IndexForm;
  const bool is_index = rule.index == ucb || rule.index == klucb || rule.index == bernkl || rule.index == patient;
  switch (rule.statistic) {
    case model::Statistic::exposure:
    case model::Statistic::matured:
    case model::Statistic::immediate:
    case model::Statistic::uncorrected:
      return is_index;
    case model::Statistic::agnostic_window:
    case model::Statistic::agnostic_mean:
    case model::Statistic::agnostic_likelihood:
    case model::Statistic::none:
    case model::Statistic::queue_naive:
    case model::Statistic::queue:
    case model::Statistic::queue_heuristic:
      break;
  }
  return false;
}

bool can_leap(const model::Experiment& experiment, model::Exposure exposure) {
  return experiment.guest == nullptr && exposure != model::Exposure::approx && can_leap(experiment.rule);
}

std::int64_t leap_after(const model::Experiment& experiment) {
  constexpr std::int64_t kAfter = 1500;
  return std::min(kAfter, experiment.horizon / 4);
}

bool is_faster_leaping(const model::Experiment& experiment) { return experiment.horizon > 3000; }

}  // namespace dbandit::kernel
