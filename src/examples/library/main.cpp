#include <cstdio>
#include <dbandit/sim/run.hpp>

int main() {
  dbandit::sim::Settings spec;
  spec.theta = {0.1, 0.05, 0.03};
  spec.delay = dbandit::model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 10'000;
  spec.policies = {"d-klucb", "d-ucb"};
  const auto result = dbandit::sim::run(spec, {});
  for (std::size_t p = 0; p < spec.policies.size(); ++p) {
    const auto& regret = result.stats.policies[p].regret.back();
    std::printf("%-8s %.2f ± %.2f\n", spec.policies[p].id.c_str(), regret.mean, dbandit::stats::half_width_95(regret));
  }
}
