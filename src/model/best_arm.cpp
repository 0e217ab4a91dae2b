#include "dbandit/model/best_arm.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace dbandit::model {

std::size_t best_arm(const Problem& problem, const Window& window) {
  assert(!problem.theta.empty());
  const bool by_arm = window && !problem.delay.common();
  std::vector<double> rate = problem.theta;
  for (std::size_t arm = 0; by_arm && arm < rate.size(); ++arm) rate[arm] *= cdf(problem.delay[arm], *window);
  return static_cast<std::size_t>(std::max_element(rate.begin(), rate.end()) - rate.begin());
}

}  // namespace dbandit::model
