#include "kernel/policy/sampling.hpp"

#include <algorithm>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void Variates::declare(Rows& rows, std::size_t cells) {
  row = cells;
  rows(keys, row);
  for (float** floats : {&leasts, &errors, &shapes}) rows(*floats, row);
  rows(terms, kTerms * row);
}

void Variates::set(std::size_t at, double news) const {
  const bool small = news < static_cast<double>(Tables::kQuantileFits);
  const rng::QuantileFit fit = small ? of_small[arm_of(news)] : rng::quantile_fit(first + news);
  for (std::size_t i = 0; i < kTerms; ++i) terms[i * row + at] = fit.coefficient[i];
  leasts[at] = fit.least;
  errors[at] = fit.error;
  shapes[at] = static_cast<float>(first + news);
}

void Sampling::size(const Setup& setup, const Books& books) {
  statistic = setup.experiment.rule.statistic;
  gammas.first = setup.experiment.rule.prior_shape;
  rate = setup.experiment.rule.prior_rate;
  stride = (books.lanes + 15) / 16 * 16;
  learned.size(setup.experiment, books);
}

void Sampling::declare(Rows& rows, const Books& books) {
  gammas.declare(rows, books.arms * stride);
  for (float** row : {&rates, &estimates}) rows(*row, gammas.row);
  rows(winners, stride);
  learned.declare(rows, books);
}

void Sampling::fill(const Setup& setup, const Books& books) {
  gammas.of_small = setup.tables.quantile_fits(gammas.first);
  std::fill_n(rates, gammas.row, 1.0f);  // padding must not divide by 0
  learned.fill(books);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    for (std::size_t lane = 0; lane < books.lanes; ++lane) converted(books, arm, lane);
  }
}

void Sampling::converted(const Books& books, std::size_t arm, std::size_t lane) const {
  gammas.set(arm * stride + lane, books.conversions[arm * books.lanes + lane]);
}

/// Only the arms that can win are sampled exactly: those whose estimate is not below the lower bound of another.
std::size_t Sampling::resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const Denominator below = visible(books, exposure);
  const auto error = [&](std::size_t at) { return 2 * static_cast<double>(gammas.errors[at]); };
  double bar = 0;
  for (std::size_t at = lane; at < gammas.row; at += stride) {
    if (gammas.is_above_least(at)) bar = std::max(bar, static_cast<double>(estimates[at]) * (1 - error(at)));
  }
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const std::size_t at = arm * stride + lane, cell = arm * books.lanes + lane;
      if (gammas.is_below_most(at) && static_cast<double>(estimates[at]) * (1 + error(at)) < bar) continue;
      const double sample =
          rng::gamma_at(books.seed, books.first + lane, static_cast<std::uint64_t>(round), arm, gammas.first + books.conversions[cell]);
      contest.enter(arm, sample, below(cell) + rate);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
