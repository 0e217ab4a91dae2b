#include "reference/guest.hpp"

#include <algorithm>
#include <numeric>

#include "rng/draws.hpp"

namespace dbandit::reference {

GuestPlayer::GuestPlayer(const model::Experiment& experiment, std::uint64_t replica)
    : guest_(*experiment.guest), window_(experiment.window), replica_(replica), order_(experiment.problem.theta.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  const auto key = [&](std::size_t arm) { return rng::arm_order_key(experiment.seed, replica, arm); };
  std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  if (guest_.start) guest_.start({.arms = order_.size(), .lanes = 1, .seed = experiment.seed, .first = replica});
}

std::vector<double> GuestPlayer::indices(std::int64_t round, std::span<const ArmStatistics> known, const Actions& actions,
                                         std::span<const Outcome> outcomes) const {
  const std::size_t arms = order_.size();
  std::vector<double> pulls, exposure, conversions, waiting, seen(arms), indices(arms);
  for (const std::size_t arm : order_) {
    pulls.push_back(static_cast<double>(known[arm].pulls));
    exposure.push_back(known[arm].exposure);
    conversions.push_back(static_cast<double>(known[arm].conversions));
    waiting.push_back(static_cast<double>(pending(actions, outcomes, window_, round, arm)));
  }
  guest_.choose({.round = round,
                 .arms = arms,
                 .lanes = 1,
                 .pulls = pulls,
                 .exposure = exposure,
                 .conversions = conversions,
                 .pending = waiting,
                 .first = replica_},
                seen);
  for (std::size_t place = 0; place < arms; ++place) indices[order_[place]] = seen[place];
  return indices;
}

std::vector<std::size_t> GuestPlayer::largest(std::span<const double> indices) {
  const double best = *std::ranges::max_element(indices);
  const double least = best * (best < 0 ? 1 + model::kTie : 1 - model::kTie);
  std::vector<std::size_t> arms;
  for (std::size_t arm = 0; arm < indices.size(); ++arm) {
    if (indices[arm] >= least) arms.push_back(arm);
  }
  return arms;
}

void GuestPlayer::observe(std::int64_t round, std::size_t arm, std::span<const std::int64_t> disclosed) const {
  if (!guest_.observe) return;
  const auto played = static_cast<std::uint16_t>(std::ranges::find(order_, arm) - order_.begin());
  std::vector<std::uint16_t> seen;
  for (const std::size_t place : order_) seen.push_back(static_cast<std::uint16_t>(disclosed[place]));
  guest_.observe({.round = round, .arms = order_.size(), .lanes = 1, .first = replica_, .played = {&played, 1}, .disclosed = seen});
}

std::int64_t pending(const Actions& actions, std::span<const Outcome> outcomes, const model::Window& window, std::int64_t round,
                     std::size_t arm) {
  std::int64_t count = 0;
  for (std::int64_t s = 1; s < round; ++s) {
    const auto at = static_cast<std::size_t>(s - 1);
    if (actions[at] != arm) continue;
    const bool over = window && round - 1 - s >= *window;
    const bool seen = outcomes[at].converts && s + outcomes[at].delay <= round - 1 && (!window || outcomes[at].delay <= *window);
    count += !over && !seen;
  }
  return count;
}

}  // namespace dbandit::reference
