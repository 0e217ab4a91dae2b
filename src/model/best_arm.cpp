#include "model/best_arm.hpp"

#include <cassert>

namespace dbandit::model {

std::size_t best_arm(const Problem& problem, const Window& window) {
  assert(!problem.theta.empty());
  const bool by_arm = window && !problem.delay.common();
  std::size_t best = 0;
  double most = -1;
  for (std::size_t arm = 0; arm < problem.theta.size(); ++arm) {
    const double rate = problem.theta[arm] * (by_arm ? cdf(problem.delay[arm], *window) : 1);
    if (rate > most) best = arm, most = rate;
  }
  return best;
}

}  // namespace dbandit::model
