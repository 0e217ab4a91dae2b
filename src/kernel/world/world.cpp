#include "kernel/world/world.hpp"

#include <algorithm>

#include "core/double_double.hpp"
#include "model/best_arm.hpp"

namespace dbandit::kernel {

void look_up_delays(Draws& draws, std::size_t count) {
  const model::DelayTable& table = *draws.tables[0];
  for (std::size_t i = 0; i < count; ++i) draws.delay[i] = static_cast<double>(table.at(draws.delay[i]));
}

std::int64_t arm_delay(const Draws& draws, std::size_t arm, double uniform) { return draws.tables[arm]->at(uniform); }

std::int64_t exact_delay(const Draws& draws, std::uint64_t seed, std::uint64_t replica, std::uint64_t round) {
  return model::delay_at(*draws.law, rng::open_uniform(rng::delay_bits(seed, replica, round)));
}

void Draws::size(const Setup& setup, const Books& books, std::int64_t longest_wait) {
  const model::Problem& problem = setup.experiment.problem;
  candidates = rng::Candidates::of(setup.experiment.seed, problem.theta);
  best_arm = model::best_arm(problem, setup.experiment.window);
  highest_limit = candidates.limit(*std::ranges::max_element(problem.theta));
  law = &problem.delay.laws.front();
  tabled_laws = problem.delay.geometric() != nullptr ? 0 : problem.delay.laws.size();
  by_arm = tabled_laws != 0 && !problem.delay.common();
  for (std::size_t i = 0; i < tabled_laws; ++i) setup.tables.want(problem.delay.laws[i], longest_wait, -1);
  // As many rounds as have about a hundred candidates: enough for full vectors, few enough for the nearest cache.
  constexpr std::size_t kWanted = 128;
  while (batch < kMaskRounds && (kWanted << std::min(candidates.halvings, 32)) >= 2 * static_cast<std::size_t>(batch) * books.lanes)
    batch *= 2;
}

void Draws::declare(Rows& rows, const Books& books) {
  const std::size_t most = books.lanes * static_cast<std::size_t>(batch) + 32;
  rows(limit, books.arms);
  rows(tables, tabled_laws);
  rows(by_lane, groups(books.lanes) * kGroup);
  rows(by_round, groups(books.lanes) * kMaskRounds);
  for (std::uint64_t** row : {&replica, &round, &mark}) rows(*row, most);
  rows(delay, most);
}

void Draws::fill(const Setup& setup) {
  const model::Problem& problem = setup.experiment.problem;
  for (std::size_t arm = 0; arm < problem.theta.size(); ++arm) limit[arm] = candidates.limit(problem.theta[arm]);
  if (const model::Geometric* const geometric = problem.delay.geometric()) {
    inverse_log = geometric->mean == 0 ? 0 : static_cast<double>(DoubleDouble(-1) / log1p(DoubleDouble(1) / geometric->mean));
  }
  for (std::size_t i = 0; i < tabled_laws; ++i) tables[i] = &setup.tables.of(problem.delay.laws[i]);
}

void World::size(const Setup& setup, const Books& books, Feedback wanted, bool with_delays) {
  const std::int64_t longest = model::longest(setup.experiment.problem.delay);
  feedback = wanted;
  tells_delays = with_delays;
  reach = wanted == Feedback::at_window_end ? books.window : std::min(setup.experiment.window.value_or(longest), longest);
  draws.size(setup, books, std::min(reach, books.horizon));
}

void World::declare(Rows& rows, const Books& books) {
  draws.declare(rows, books);
  const auto length = static_cast<std::size_t>(std::min(reach, books.horizon)) + 1;
  const std::size_t filed_in_a_round = books.lanes * (draws.by_arm ? 3 : 1);
  if (tells_delays) {
    calendar_of_delays.declare(rows, length, filed_in_a_round);
  } else {
    calendar.declare(rows, length, filed_in_a_round);
  }
  rows(due, books.lanes + 16);
  rows(entries, books.lanes + 16, tells_delays ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
}

}  // namespace dbandit::kernel
