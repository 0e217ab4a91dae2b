// A policy of your own in under 40 lines: explore for a hundred rounds, then trust the delay-corrected estimate S/Ñ. It meets d-klucb in
// the same worlds, replica by replica, so their difference is paired.
#include <cstdio>
#include <dbandit/sim/guest.hpp>

using namespace dbandit;

/// The policy: an index for every arm of every replica, from what is known after the last round. The largest is played.
void greedy(const sim::GuestView& view, std::span<double> indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool explores = view.round <= 100;
    indices[i] = explores ? -view.pulls[i] : view.conversions[i] / view.exposure[i];
  }
}

int main() {
  sim::Settings spec;
  spec.theta = {0.4, 0.5, 0.3};
  spec.delay = model::Geometric{50};
  spec.censor = 100;
  spec.horizon = 1000;
  spec.policies = {"d-klucb", "guest:greedy"};
  const sim::Result result = sim::run_with_guests(spec, std::vector<sim::Guest>{{"greedy", greedy}}, {});
  for (std::size_t p = 0; p < 2; ++p) {
    const stats::Moments& regret = result.stats.policies[p].regret.back();
    std::printf("%-8s %.2f ± %.2f\n", spec.policies[p].id.c_str(), regret.mean, stats::half_width_95(regret));
  }
  const stats::Moments& difference = result.stats.paired.front();
  std::printf("d-klucb minus greedy: %.2f ± %.2f\n", difference.mean, stats::half_width_95(difference));
}
