#include <cmath>
#include <cstdio>

#include "dbandit/sim/run.hpp"

/// The regret of uniform play after 1000 rounds of the paper's low-rate problem (§6), which is known in closed form.
int main() {
  dbandit::sim::Settings spec;
  spec.theta = {0.1, 0.05, 0.03};
  spec.delay = dbandit::model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 1000;
  spec.policies = {"uniform"};
  spec.replicas = 200;
  const auto result = dbandit::sim::run(spec, {});
  const auto& regret = result.stats.policies.front().regret.back();
  std::printf("uniform loses %.2f conversions in 1000 rounds, give or take %.2f\n", regret.mean, regret.standard_error());
  return std::abs(regret.mean - 22.712) < 5 * regret.standard_error() ? 0 : 1;
}
