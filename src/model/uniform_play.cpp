#include "model/uniform_play.hpp"

#include <algorithm>

#include "model/best_arm.hpp"

namespace dbandit::model {

double uniform_regret(const Problem& problem, const Window& window, std::int64_t horizon) {
  const std::int64_t last = std::min(window.value_or(horizon), horizon);  // younger pulls show by their age, all others as at m
  const auto arms = static_cast<double>(problem.theta.size());
  // Σ_{a < last} τ_a + (T − last) τ_last.
  const auto visible = [&](const DelayLaw& law) {
    double sum = static_cast<double>(horizon - last) * cdf(law, last);
    for (std::int64_t age = 0; age < last;) {
      const std::int64_t step = std::min(age < 4096 ? 1 : age / 1024, last - age);
      sum += static_cast<double>(step) * (cdf(law, age) + cdf(law, age + step - 1)) / 2;
      age += step;
    }
    return sum;
  };
  const std::size_t best = best_arm(problem, window);
  const double common = visible(problem.delay[0]);
  double mean = 0, of_best = 0;
  for (std::size_t arm = 0; arm < problem.theta.size(); ++arm) {
    const double shown = problem.theta[arm] * (problem.delay.common() ? common : visible(problem.delay[arm]));
    mean += shown / arms;
    if (arm == best) of_best = shown;
  }
  return of_best - mean;
}

}  // namespace dbandit::model
