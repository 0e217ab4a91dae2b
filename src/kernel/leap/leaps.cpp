#include "kernel/leap/leaps.hpp"

#include <algorithm>

#include "kernel/leap/leap.hpp"

namespace dbandit::kernel {

bool can_leap(const model::Rule& rule) {
  using enum model::IndexForm;
  const bool is_index = rule.index == ucb || rule.index == klucb || rule.index == bernkl || (rule.index == patient && rule.alpha >= 0.5);
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

namespace {

/// Rounds in which no conversion can have been seen, so that arms tie in all of them. Of one constant law alone, of world and belief: its
/// exposures are whole numbers, exact in either engine, so that no byte depends on where the one takes over, and round by round they cost
/// little.
std::int64_t rounds_in_the_dark(const model::Experiment& experiment) {
  const model::Delays& delay = experiment.problem.delay;
  if (experiment.rule.statistic != model::Statistic::exposure || experiment.assumed || !delay.common()) return 0;
  const auto* constant = std::get_if<model::Constant>(&delay.laws.front());
  return constant != nullptr ? constant->delay : 0;
}

/// Measured: before, looks are so many that round by round is faster. Every arm that is still tried asks for looks: those of a wide radius
/// are for long, and a pull that counts at once lowers its index at once, so that arms take turns. Pulls of a long dark are of any arm, a
/// run each, and every look adds them up until they leave the window.
std::int64_t rounds_before(const model::Experiment& experiment) {
  using model::IndexForm;
  using model::Statistic;
  const model::Rule& rule = experiment.rule;
  const bool counts_pulls = rule.statistic == Statistic::immediate || rule.statistic == Statistic::uncorrected;
  const std::int64_t an_arm = rule.index == IndexForm::patient ? 25'000 : rule.index == IndexForm::ucb && counts_pulls ? 5'000 : 500;
  const std::int64_t of_all = an_arm * static_cast<std::int64_t>(experiment.problem.theta.size()), dark = rounds_in_the_dark(experiment);
  return dark <= of_all ? of_all : dark + experiment.window.value_or(model::longest(experiment.believed()));
}

}  // namespace

std::int64_t leap_after(const model::Experiment& experiment) { return std::min(rounds_before(experiment), experiment.horizon / 4); }

/// A disclosure is a byte of a ring of rounds, one ring for every arm of the replicas that leap together. Rings beyond the last cache cost
/// a miss a disclosure, and memory without end where many arms meet a long window: there the calendar of the rounds engine is the better
/// one.
bool is_faster_leaping(const model::Experiment& experiment) {
  constexpr double kLargestRings = 32e6;
  const std::int64_t longest = model::longest(experiment.problem.delay);
  const auto reach = static_cast<double>(std::min({experiment.window.value_or(longest), longest, experiment.horizon}));
  const double rings = reach * static_cast<double>(Leap::kTogether * (experiment.problem.theta.size() + 2));
  return experiment.horizon > 2 * rounds_before(experiment) && rings <= kLargestRings;
}

}  // namespace dbandit::kernel
