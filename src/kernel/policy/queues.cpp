#include "kernel/policy/queues.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

namespace {
/// Of a numerator, relatively, with much room for a tie.
constexpr double kEstimate = 2 * kPolynomialError;
}  // namespace

void Queues::size(const Setup& setup, const Books& books) {
  const model::Rule& rule = setup.experiment.rule;
  naive = rule.statistic == model::Statistic::queue_naive;
  has_heuristic = rule.statistic == model::Statistic::queue_heuristic;
  is_ucb = rule.index == model::IndexForm::ucb;
  clamped = rule.clamp == model::Clamp::one && !is_ucb;
  epsilon = rule.epsilon;
  heuristic.size(setup, books);
  words = naive ? 0 : static_cast<std::size_t>(books.window) / 64 + 1;
}

void Queues::declare(Rows& rows, const Books& books) {
  for (double** row : {&fed, &fed_conversions}) rows(*row, books.cells());
  rows(waiting, books.cells());
  for (std::int64_t** row : {&steps, &certain}) rows(*row, books.lanes);
  rows(wish, books.lanes);
  rows(numerator, books.arms);
  if (has_heuristic) heuristic.declare(rows, books);
  if (naive) return;
  rows(head, books.cells());
  rows(queued, books.cells() * words);
  rows(pulled, static_cast<std::size_t>(books.window) * books.lanes);
}

/// Before it is fed anything the base wishes the first arm of the start order.
void Queues::fill(const Setup& setup, const Books& books) {
  if (has_heuristic) heuristic.fill(setup, books);
  std::copy_n(books.order, books.lanes, wish);
}

void Queues::converted(const Books& books, std::size_t arm, std::size_t lane) const {
  const std::size_t cell = arm * books.lanes + lane;
  if (has_heuristic) heuristic.converted(books, arm, lane);
  if (!naive) {
    assert(waiting[cell] < 64 * words);
    const std::size_t at = (head[cell] + waiting[cell]) % (64 * words);
    queued[cell * words + at / 64] |= std::uint64_t{1} << at % 64;
  }
  ++waiting[cell];
}

void Queues::observe(const Books& books, const World& world, std::int64_t round) const {
  if (naive) return;
  std::uint32_t* const now = pulled + static_cast<std::size_t>(round % books.window) * books.lanes;
  const bool ending = round > books.window;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    const std::uint32_t old = now[lane];
    if (ending) waiting[(old >> 1) * books.lanes + lane] += 1 - (old & 1);
    now[lane] = static_cast<std::uint32_t>(books.arm(lane)) << 1;
  }
  for_each_visible_conversion(world, books, round, [&](std::size_t lane) { now[lane] |= 1; });
}

/// The first `count` of a queue.
void Queues::feed(std::size_t cell, std::uint32_t count) const {
  assert(count > 0 && count <= waiting[cell]);
  waiting[cell] -= count;
  fed[cell] += count;
  if (naive) {
    fed_conversions[cell] += count;
    return;
  }
  std::uint32_t at = head[cell], ones = 0;
  const auto length = static_cast<std::uint32_t>(64 * words);
  while (count > 0) {
    std::uint64_t& word = queued[cell * words + at / 64];
    const std::uint32_t here = std::min(count, 64 - at % 64);
    const std::uint64_t taken = word & (here == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << here) - 1) << at % 64);
    if (taken != 0) ones += static_cast<std::uint32_t>(std::popcount(taken)), word ^= taken;
    count -= here;
    at += here;
    if (at == length) at = 0;
  }
  head[cell] = at;
  fed_conversions[cell] += ones;
}

/// lead.hpp in scalar, for the arm that the base wishes: how often it can be fed before another could be wished.
double Queues::steps_of_lead(const Books& books, std::size_t lane, double beta) const {
  constexpr double kMargin = 4 * kEstimate;
  const double growth = (1 + epsilon) / static_cast<double>(steps[lane] + 1);
  const double pulls = fed[wish[lane] * books.lanes + lane];
  const double ahead = clamped ? std::min(numerator[wish[lane]], pulls) : numerator[wish[lane]];
  double lead = 1e6;
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    if (arm == wish[lane]) continue;
    const double above = numerator[arm] * (1 + kMargin), conversions = fed_conversions[cell];
    // num′: of S + √(N β/2), and of h(S, β) = S x: x/(x − 1)
    const double slope = is_ucb ? (above - conversions) / (2 * beta) : above / (above - conversions);
    const double c = slope * (1 + kMargin) * growth, b = above + c * pulls, gap = ahead * (1 - kMargin) * fed[cell] - above * pulls;
    if (!(gap > 0)) return 0;
    lead = std::min(lead, gap * b / (b * b + c * gap));
  }
  return lead * (1 - kMargin);
}

/// Estimates of the numerators, within kEstimate of them (UCB: those themselves).
void Queues::estimate(const Books& books, std::size_t lane, double beta) const {
  const double root_beta = std::sqrt(beta);
  for (std::size_t arm = 0, cell = lane; is_ucb && arm < books.arms; ++arm, cell += books.lanes) {
    numerator[arm] = fed_conversions[cell] + std::sqrt(fed[cell] * 0.5) * root_beta;
  }
  for (std::size_t arm = 0, cell = lane; !is_ucb && arm < books.arms; arm += 2, cell += 2 * books.lanes) {  // the baseline has pairs
    const bool both = arm + 1 < books.arms;
    alignas(16) const double conversions[] = {fed_conversions[cell], both ? fed_conversions[cell + books.lanes] : 1.0};
    const auto pair = poisson_bound<Baseline>(Doubles<Baseline>::load_aligned(conversions), beta, excess_polynomial<Baseline>);
    numerator[arm] = pair.get(0);
    if (both) numerator[arm + 1] = pair.get(1);
  }
}

/// The arm of largest index by the numerators as they are; the number of arms if another is closer to it than they can tell.
std::size_t Queues::clear_winner(const Books& books, std::size_t lane) const {
  double best_above = -1, best_below = 1;
  std::size_t winner = books.arms;
  bool close = false;
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double below = fed[cell], above = clamped ? std::min(numerator[arm], below) : numerator[arm];
    const double challenger = above * best_below, champion = best_above * below, doubt = 4 * kEstimate * champion;
    if (challenger > champion) {
      close = challenger - champion <= doubt;
      best_above = above, best_below = below, winner = arm;
    } else {
      close |= champion - challenger <= doubt;
    }
  }
  return close ? books.arms : winner;
}

/// The same by exact indices, ties by their keys. What is above the clamp beyond doubt needs no solve.
std::size_t Queues::exact_winner(const Books& books, const Ties& ties, std::size_t lane, double beta) const {
  for (std::size_t arm = 0, cell = lane; !is_ucb && arm < books.arms; ++arm, cell += books.lanes) {
    const bool capped = clamped && (fed_conversions[cell] == fed[cell] || numerator[arm] >= fed[cell] * (1 + 2 * kEstimate));
    numerator[arm] = capped ? 2 * fed[cell] : poisson_bound_exact(fed_conversions[cell], beta);
  }
  Contest contest(books, ties, steps[lane] + 1, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      const bool capped = clamped && numerator[arm] >= fed[cell];
      contest.enter(arm, capped ? 1 : numerator[arm], capped ? 1 : fed[cell]);
    }
  } while (contest.again());
  return contest.winner();
}

void Queues::look(const Books& books, const Ties& ties, std::size_t lane) const {
  const std::int64_t step = steps[lane] + 1;
  certain[lane] = steps[lane];
  if (step <= static_cast<std::int64_t>(books.arms)) {
    wish[lane] = books.order[static_cast<std::size_t>(step - 1) * books.lanes + lane];
    return;
  }
  const double beta = exploration(epsilon, step);
  estimate(books, lane, beta);
  const std::size_t clear = clear_winner(books, lane);
  if (clear == books.arms) {
    wish[lane] = static_cast<std::uint32_t>(exact_winner(books, ties, lane, beta));
    return;
  }
  wish[lane] = static_cast<std::uint32_t>(clear);
  certain[lane] += static_cast<std::int64_t>(steps_of_lead(books, lane, beta));
}

void Queues::ask_base(const Books& books, const Ties& ties) const {
  assert(!ties.keys_are_drawn);  // they would be the round's, not those of the base's clock
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    for (std::size_t cell = wish[lane] * books.lanes + lane; waiting[cell] != 0; cell = wish[lane] * books.lanes + lane) {
      const std::int64_t most = certain[lane] - steps[lane] + 1;
      const std::uint32_t count = waiting[cell] < most ? waiting[cell] : static_cast<std::uint32_t>(most);
      feed(cell, count);
      steps[lane] += count;
      if (steps[lane] > certain[lane]) look(books, ties, lane);
    }
    if (has_heuristic) {
      const std::size_t favourite = books.arm(lane) * books.lanes + lane;
      if (books.pulls[favourite] - fed[favourite] < static_cast<double>(books.window)) continue;
    }
    books.action[lane] = static_cast<double>(wish[lane]);
  }
}

}  // namespace dbandit::kernel
