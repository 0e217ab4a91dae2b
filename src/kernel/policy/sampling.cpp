#include "kernel/policy/sampling.hpp"

#include <algorithm>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void Sampling::size(const Setup& setup, const Books& books) {
  shape = setup.experiment.rule.prior_shape;
  rate = setup.experiment.rule.prior_rate;
  stride = (books.lanes + 15) / 16 * 16;
}

void Sampling::declare(Rows& rows, const Books& books) {
  rows(keys, row_size(books));
  for (float** row : {&rates, &estimates, &leasts, &errors, &shapes}) rows(*row, row_size(books));
  rows(terms, kTerms * row_size(books));
  rows(winners, stride);
}

void Sampling::fill(const Setup& setup, const Books& books) {
  of_small = setup.tables.quantile_fits(shape);
  std::fill_n(rates, row_size(books), 1.0f);  // padding must not divide by 0
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    for (std::size_t lane = 0; lane < books.lanes; ++lane) converted(books, arm, lane);
  }
}

void Sampling::converted(const Books& books, std::size_t arm, std::size_t lane) const {
  const double conversions = books.conversions[arm * books.lanes + lane];
  const std::size_t at = arm * stride + lane;
  const bool small = conversions < static_cast<double>(Tables::kQuantileFits);
  const rng::QuantileFit fit = small ? of_small[arm_of(conversions)] : rng::quantile_fit(shape + conversions);
  for (std::size_t i = 0; i < kTerms; ++i) terms[i * row_size(books) + at] = fit.coefficient[i];
  leasts[at] = fit.least;
  errors[at] = fit.error;
  shapes[at] = static_cast<float>(shape + conversions);
}

/// Only the arms that can win are sampled exactly: those whose estimate is not below the lower bound of another.
std::size_t Sampling::resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const Denominator visible = exposure.denominator(books);
  // Uniforms that a fit does not cover: for z below its range the estimate is an upper bound only, above it none. Its ends by their keys, a
  // little inside: 2^32 Φ(−2.5), 2^32 Φ(−4) and 2^32 Φ(4).
  const auto low = [&](std::size_t at) { return leasts[at] > -4 ? 30'000'000u : 140'000u; };
  constexpr std::uint32_t kHigh = 0xFFFFFFFF - 140'000;
  double bar = 0;
  for (std::size_t at = lane; at < row_size(books); at += stride) {
    if (keys[at] > low(at)) bar = std::max(bar, static_cast<double>(estimates[at]) * (1 - 2 * static_cast<double>(errors[at])));
  }
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const std::size_t at = arm * stride + lane, cell = arm * books.lanes + lane;
      const bool bounded = keys[at] < kHigh && errors[at] < 1;
      if (bounded && static_cast<double>(estimates[at]) * (1 + 2 * static_cast<double>(errors[at])) < bar) continue;
      const double sample =
          rng::gamma_at(books.seed, books.first + lane, static_cast<std::uint64_t>(round), arm, shape + books.conversions[cell]);
      contest.enter(arm, sample, visible(cell) + rate);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
