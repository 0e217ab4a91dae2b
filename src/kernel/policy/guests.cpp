#include "kernel/policy/guests.hpp"

#include <algorithm>

#include "dbandit/model/guest.hpp"

namespace dbandit::kernel {

void Guests::declare(Rows& rows, const Books& books) {
  const std::size_t cells = books.arms * books.replicas;
  for (std::uint16_t** row : {&arm, &place, &disclosed}) rows(*row, cells);
  rows(played, books.replicas);
  rows(unfruitful, static_cast<std::size_t>(books.window) * books.replicas);
  for (double** row : {&pulls, &exposure, &conversions, &indices, &pending, &barren}) rows(*row, cells);
}

void Guests::fill(const Setup&, const Books& books) const {
  for (std::size_t lane = 0; lane < books.replicas; ++lane) {
    books.sort_arms([&](std::size_t k) { return rng::arm_order_key(books.seed, books.first + lane, k); });
    for (std::size_t at = 0; at < books.arms; ++at) {
      arm[at * books.replicas + lane] = books.sorted[at];
      place[books.sorted[at] * books.replicas + lane] = static_cast<std::uint16_t>(at);
    }
  }
  if (guest->start) guest->start({.arms = books.arms, .lanes = books.replicas, .seed = books.seed, .first = books.first});
}

void Guests::ask(const Books& books, const Denominator& denominator, const Ties& ties, std::int64_t round) const {
  const std::size_t replicas = books.replicas, cells = books.arms * replicas;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t cell = arm[i] * books.lanes + i % replicas;
    pulls[i] = books.pulls[cell], exposure[i] = denominator(cell), conversions[i] = books.conversions[cell];
    pending[i] = pulls[i] - conversions[i] - barren[i];
  }
  {
    const Denormals<Baseline> kept(false);  // the function is the caller's, and so is the mode it computes in
    guest->choose({round, books.arms, replicas, {pulls, cells}, {exposure, cells}, {conversions, cells}, {pending, cells}, books.first},
                  {indices, cells});
  }
  for (std::size_t lane = 0; lane < replicas; ++lane) books.action[lane] = static_cast<double>(largest(books, ties, round, lane));
}

void Guests::converted(const Books& books, std::size_t arm, std::size_t lane) const {
  if (lane < books.replicas) ++disclosed[place[arm * books.replicas + lane] * books.replicas + lane];
}

/// Which pulls will not convert is known to the world at once; the guest is told of it by `barren`, when their window ends.
void Guests::observe(const Books& books, const World& world, std::int64_t round) const {
  const std::size_t replicas = books.replicas, cells = books.arms * replicas;
  for (std::size_t lane = 0; lane < replicas; ++lane) played[lane] = place[books.arm(lane) * replicas + lane];
  if (books.window > 0) {
    std::uint16_t* const now = unfruitful + static_cast<std::size_t>(round % books.window) * replicas;
    for (std::size_t lane = 0; lane < replicas; ++lane) {
      if (round > books.window && now[lane] != kFruitful) barren[now[lane] * replicas + lane] += 1;
      now[lane] = played[lane];
    }
    for_each_visible_conversion(world, books, round, [&](std::size_t lane) {
      if (lane < replicas) now[lane] = kFruitful;
    });
  }
  if (guest->observe) {
    const Denormals<Baseline> kept(false);
    guest->observe({.round = round,
                    .arms = books.arms,
                    .lanes = replicas,
                    .first = books.first,
                    .played = {played, replicas},
                    .disclosed = {disclosed, cells}});
  }
  std::fill_n(disclosed, cells, std::uint16_t{0});
}

/// Indices may have any sign here. Among tied arms the largest tie key wins, the lowest arm if keys are equal.
std::size_t Guests::largest(const Books& books, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const std::size_t replicas = books.replicas, cells = books.arms * replicas;
  double best = indices[lane];
  for (std::size_t i = lane; i < cells; i += replicas) best = std::max(best, indices[i]);
  const double tied = best * (best < 0 ? 1 + model::kTie : 1 - model::kTie);
  const auto key = [&](std::size_t k) { return rng::tie_key(books.seed, books.first + lane, static_cast<std::uint64_t>(round), k); };
  std::size_t winner = books.arms;
  std::uint32_t winning_key = 0;
  bool is_keyed = false;
  for (std::size_t i = lane; i < cells; i += replicas) {
    const std::size_t rival = arm[i];
    if (!(indices[i] >= tied)) continue;
    if (winner == books.arms) {
      winner = rival;
    } else if (ties.lowest) {
      winner = std::min(winner, rival);
    } else {
      if (!is_keyed) winning_key = key(winner), is_keyed = true;
      const std::uint32_t rival_key = key(rival);
      if (rival_key > winning_key || (rival_key == winning_key && rival < winner)) winner = rival, winning_key = rival_key;
    }
  }
  assert(winner < books.arms && "an index is not a number");
  return winner;
}

}  // namespace dbandit::kernel
