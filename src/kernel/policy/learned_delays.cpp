#include "kernel/policy/learned_delays.hpp"

#include <cstring>

#include "model/truncated_mean.hpp"
#include "kernel/policy/exploration.hpp"

namespace dbandit::kernel {

double likeliest_mean(double n, double total, std::int64_t round) { return model::truncated_mean(n, total, static_cast<double>(round)); }

double observation_weight(double gamma, double n) { return power(n, -gamma); }

void LearnedDelays::size(const model::Experiment& experiment, const Books& books) {
  const model::Statistic statistic = experiment.rule.statistic;
  kind = statistic == model::Statistic::agnostic_window       ? Kind::window
         : statistic == model::Statistic::agnostic_mean       ? Kind::mean
         : statistic == model::Statistic::agnostic_likelihood ? Kind::likelihood
                                                              : Kind::none;
  gamma = experiment.rule.gamma;
  narrow_counts = books.horizon < 65536 && books.arms < 65535;
  span = static_cast<std::size_t>(books.window) + 1;
}

void LearnedDelays::declare(Rows& rows, const Books& books) {
  const std::size_t width = narrow_counts ? 2 : 4;
  if (kind == Kind::none) return;
  rows(exposure, books.cells());
  rows(observed, books.lanes);
  if (kind == Kind::window) {
    rows(matches, books.cells());
    rows(recent, recent_stride() * books.lanes, width);
    rows(histogram, histogram_stride() * books.lanes, width);
  } else {
    rows(mean_delay, books.lanes);
    rows(delay_total, books.lanes);
    rows(unseen, books.cells());
  }
}

void LearnedDelays::fill(const Books& books) {
  if (kind != Kind::window) return;
  std::memset(recent, 0xFF, recent_stride() * books.lanes * (narrow_counts ? 2 : 4));  // no arm yet
  recent_at = span + 1;
}

}  // namespace dbandit::kernel
