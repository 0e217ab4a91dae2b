#include "reference/regret.hpp"

#include <algorithm>

namespace dbandit::reference {

std::vector<double> gaps(const model::Problem& problem) {
  const double best = *std::max_element(problem.theta.begin(), problem.theta.end());
  std::vector<double> gaps;
  for (const double theta : problem.theta) gaps.push_back(best - theta);
  return gaps;
}

double regret(std::span<const double> gaps, const Actions& actions, std::span<const double> tau) {
  const std::vector<double> exposure = exposure_by_definition(actions, gaps.size(), tau);
  double sum = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k) sum += gaps[k] * exposure[k];
  return sum;
}

std::size_t best_arm(const model::Problem& problem, const model::Window& window) {
  std::size_t best = 0;
  const auto rate = [&](std::size_t arm) {
    return problem.theta[arm] * (window && !problem.delay.common() ? model::cdf(problem.delay[arm], *window) : 1);
  };
  for (std::size_t arm = 1; arm < problem.theta.size(); ++arm) {
    if (rate(arm) > rate(best)) best = arm;
  }
  return best;
}

double regret_by_arm(const model::Problem& problem, std::size_t best, const Actions& actions, std::span<const std::vector<double>> tau) {
  const auto shown = [&](std::size_t arm, std::size_t age) { return problem.theta[arm] * tau[arm][std::min(age, tau[arm].size() - 1)]; };
  double sum = 0;
  for (std::size_t s = 1; s <= actions.size(); ++s) {
    const std::size_t age = actions.size() - s;
    sum += shown(best, age) - shown(actions[s - 1], age);
  }
  return sum;
}

double pseudo_regret(std::span<const double> gaps, const Actions& actions) {
  std::vector<std::int64_t> pulls(gaps.size());
  for (const auto arm : actions) ++pulls[arm];
  double sum = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k) sum += gaps[k] * static_cast<double>(pulls[k]);
  return sum;
}

std::int64_t realised_regret(std::span<const Outcome> outcomes, const model::Window& window) {
  std::int64_t lost = 0;
  const auto t = static_cast<std::int64_t>(outcomes.size());
  for (std::int64_t s = 1; s <= t; ++s) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(s - 1)];
    const std::int64_t age = std::min(t - s, window.value_or(t - s));
    if (outcome.best_converts && outcome.best_delay <= age) ++lost;
    if (outcome.converts && outcome.delay <= age) --lost;
  }
  return lost;
}

}  // namespace dbandit::reference
