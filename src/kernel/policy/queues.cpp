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
  clamped = rule.clamp == model::Clamp::one && !is_ucb;
  epsilon = rule.epsilon;
  heuristic.size(setup, books);
  words = naive ? 0 : static_cast<std::size_t>(books.window + kLater) / 64 + 1;
  pulled = {.length = books.window, .stored_as = books.arms < 256 ? ArmIds::byte : ArmIds::word};
}

void Queues::declare(Rows& rows, const Books& books) {
  for (double** row : {&fed, &fed_conversions, &waiting}) rows(*row, books.cells());
  for (std::int64_t** row : {&steps, &certain}) rows(*row, books.lanes);
  for (double** row : {&wish, &room}) rows(*row, books.lanes);
  rows(asked, books.lanes);
  rows(numerator, books.arms);
  for (double** row : {&estimates, &pulls_fed, &ones_fed}) rows(*row, books.arms * kWidest);
  if (has_heuristic) heuristic.declare(rows, books);
  if (naive) return;
  rows(head, books.cells());
  rows(queued, books.cells() * words);
  rows(converts, books.lanes);
  pulled.declare(rows, books.lanes);
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
    assert(waiting[cell] < static_cast<double>(64 * words));
    const std::size_t at = (head[cell] + arm_of(waiting[cell])) % (64 * words);
    queued[cell * words + at / 64] |= std::uint64_t{1} << at % 64;
  }
  waiting[cell] += 1;
  room[lane] -= arm == arm_of(wish[lane]);
}

void Queues::observe(const Books& books, const World& world, std::int64_t round) {
  converting = 0;
  if (naive) return;
  for_each_visible_conversion(world, books, round, [&](std::size_t lane) { converts[converting++] = static_cast<std::uint32_t>(lane); });
}

/// Ties by their keys. What is below the leader beyond doubt cannot win, what is above the clamp beyond doubt is clamped: neither needs a
/// solve.
std::size_t Queues::exact_winner(const Books& books, const Ties& ties, std::size_t lane, const double* estimate, std::size_t stride) const {
  const double beta = exploration(epsilon, steps[lane] + 1), root_beta = std::sqrt(beta);
  double lead_above = -1, lead_below = 1;
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double below = fed[cell], above = clamped ? std::min(estimate[arm * stride], below) : estimate[arm * stride];
    if (above * lead_below > lead_above * below) lead_above = above, lead_below = below;
  }
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double above = estimate[arm * stride], below = fed[cell], conversions = fed_conversions[cell];
    const bool is_capped = clamped && (conversions == below || above >= below * (1 + 2 * kEstimate));
    numerator[arm] = above * lead_below * (1 + 8 * kEstimate) < lead_above * below ? -1
                     : is_ucb                                                      ? conversions + std::sqrt(below * 0.5) * root_beta
                     : is_capped                                                   ? 2 * below
                                                                                   : poisson_bound_exact(conversions, beta);
  }
  Contest contest(books, ties, steps[lane] + 1, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      if (numerator[arm] < 0) continue;
      const bool capped = clamped && numerator[arm] >= fed[cell];
      contest.enter(arm, capped ? 1 : numerator[arm], capped ? 1 : fed[cell]);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
