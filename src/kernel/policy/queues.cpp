#include "kernel/policy/queues.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void Queues::size(const Setup& setup, const Books& books) {
  const model::Rule& rule = setup.experiment.rule;
  naive = rule.statistic == model::Statistic::queue_naive;
  has_heuristic = rule.statistic == model::Statistic::queue_heuristic;
  is_ucb = rule.index == model::IndexForm::ucb;
  clamped = rule.clamp == model::Clamp::one;
  epsilon = rule.epsilon;
  heuristic.size(setup, books);
  length = naive ? 0 : static_cast<std::size_t>(books.window) + 1;
}

void Queues::declare(Rows& rows, const Books& books) {
  for (double** row : {&fed, &fed_conversions, &arrived}) rows(*row, books.cells());
  rows(waiting, books.cells());
  rows(steps, books.lanes);
  rows(wish, books.lanes);
  if (has_heuristic) heuristic.declare(rows, books);
  if (naive) return;
  rows(expired, books.cells());
  rows(head, books.cells());
  rows(queued, books.cells() * length);
  rows(fate, static_cast<std::size_t>(books.window) * books.lanes);
}

void Queues::push(std::size_t cell, bool converted) {
  if (!naive) {
    assert(waiting[cell] < length);
    queued[cell * length + (head[cell] + waiting[cell]) % length] = converted;
  }
  ++waiting[cell];
}

bool Queues::pop(std::size_t cell) {
  assert(waiting[cell] > 0);
  --waiting[cell];
  if (naive) return true;
  const bool converted = queued[cell * length + head[cell]] != 0;
  head[cell] = static_cast<std::uint32_t>((head[cell] + 1) % length);
  return converted;
}

/// The arm that the base wants at its own clock.
std::uint32_t Queues::wish_of_base(const Books& books, const Ties& ties, std::size_t lane) const {
  const std::int64_t step = steps[lane] + 1;
  if (step <= static_cast<std::int64_t>(books.arms)) return books.order[static_cast<std::size_t>(step - 1) * books.lanes + lane];
  const double beta = exploration(epsilon, step), root_beta = std::sqrt(beta);
  Contest contest(books, ties, step, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      const double pulls = fed[cell];
      if (is_ucb) {
        contest.enter(arm, fed_conversions[cell] + std::sqrt(pulls * 0.5) * root_beta, pulls);
        continue;
      }
      const bool certain = clamped && fed_conversions[cell] == pulls;  // θ̂ = 1
      const double above = certain ? pulls : poisson_bound_exact(fed_conversions[cell], beta);
      if (clamped && above >= pulls) {
        contest.enter(arm, 1, 1);
      } else {
        contest.enter(arm, above, pulls);
      }
    }
  } while (contest.again());
  return static_cast<std::uint32_t>(contest.winner());
}

void Queues::ask_base(const Books& books, const Ties& ties) {
  assert(!ties.keys_are_drawn);  // they would be the round's, not those of the base's clock
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    if (steps[lane] == 0) wish[lane] = wish_of_base(books, ties, lane);
    for (;;) {
      const std::size_t cell = wish[lane] * books.lanes + lane;
      if (waiting[cell] == 0) break;
      fed[cell] += 1;
      fed_conversions[cell] += pop(cell);
      ++steps[lane];
      wish[lane] = wish_of_base(books, ties, lane);
    }
    if (has_heuristic) {
      const std::size_t favourite = books.arm(lane) * books.lanes + lane;
      if (books.pulls[favourite] - fed[favourite] < static_cast<double>(books.window)) continue;
    }
    books.action[lane] = static_cast<double>(wish[lane]);
  }
}

void Queues::observe(const Books& books, const World& world, std::int64_t round) {
  for (std::size_t cell = 0; cell < books.cells(); ++cell) {
    for (; arrived[cell] < books.conversions[cell]; arrived[cell] += 1) push(cell, true);
  }
  if (naive) return;
  std::uint8_t* const now = fate + static_cast<std::size_t>(round % books.window) * books.lanes;
  if (round > books.window) {
    for (std::size_t cell = 0; cell < books.cells(); ++cell) {
      if (expired[cell] == books.matured[cell]) continue;
      expired[cell] = books.matured[cell];
      if (now[cell % books.lanes] == 0) push(cell, false);
    }
  }
  std::fill_n(now, books.lanes, std::uint8_t{0});
  for_each_visible_conversion(world, books, round, [&](std::size_t lane) { now[lane] = 1; });
}

}  // namespace dbandit::kernel
