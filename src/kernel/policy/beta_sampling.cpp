#include "kernel/policy/beta_sampling.hpp"

#include <algorithm>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void BetaSampling::size(const Setup& setup, const Books& books) {
  Sampling::size(setup, books);
  failures.first = setup.experiment.rule.prior_rate;
  start_rounds = static_cast<std::int64_t>(books.arms) + books.window;
}

void BetaSampling::declare(Rows& rows, const Books& books) {
  Sampling::declare(rows, books);
  failures.declare(rows, gammas.row);
  rows(fitted, books.cells());
  rows(over_tau, books.arms);
}

void BetaSampling::fill(const Setup& setup, const Books& books) {
  const model::Experiment& e = setup.experiment;
  failures.of_small = setup.tables.quantile_fits(failures.first);
  Sampling::fill(setup, books);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    const double tau = e.believed().common() ? 1 : model::cdf(e.believed()[arm], *e.window);
    over_tau[arm] = tau > 0 ? 1 / tau : 1;
  }
  std::fill_n(fitted, books.cells(), -1.0);
  for (const Variates* of : {&gammas, &failures}) {  // padding must not divide 0 by 0
    for (std::size_t at = 0; at < of->row; ++at) {
      if (of->shapes[at] == 0) of->shapes[at] = kExpanded, of->terms[at] = 1;
    }
  }
}

void BetaSampling::fit(const Books& books, std::size_t at, unsigned lanes) const {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::size_t place = at + static_cast<unsigned>(__builtin_ctz(lanes)), cell = place / stride * books.lanes + place % stride;
    const double failed = books.matured[cell] - books.conversions[cell];
    if (failed == fitted[cell]) continue;
    fitted[cell] = failed;
    failures.set(place, failed);
  }
}

std::size_t BetaSampling::resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const auto error = [&](std::size_t at) {
    return 2.2 * (static_cast<double>(gammas.errors[at]) + static_cast<double>(failures.errors[at]));
  };
  // X/(X + Y) rises with X and falls with Y.
  double bar = 0;
  for (std::size_t at = lane; at < gammas.row; at += stride) {
    const bool bounded_below = gammas.is_above_least(at) && failures.is_below_most(at) && error(at) < 1;
    if (bounded_below) bar = std::max(bar, static_cast<double>(estimates[at]) * (1 - error(at)));
  }
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const std::size_t at = arm * stride + lane, cell = arm * books.lanes + lane;
      const bool bounded_above = gammas.is_below_most(at) && failures.is_above_least(at) && error(at) < 1;
      if (bounded_above && static_cast<double>(estimates[at]) * (1 + error(at)) < bar) continue;
      const double share =
          rng::beta_at(books.seed, books.first + lane, static_cast<std::uint64_t>(round), arm, gammas.first + books.conversions[cell],
                       failures.first + (books.matured[cell] - books.conversions[cell]));
      contest.enter(arm, share * over_tau[arm], 1);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
