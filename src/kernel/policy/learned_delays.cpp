#include "kernel/policy/learned_delays.hpp"

#include "kernel/policy/exploration.hpp"

namespace dbandit::kernel {

double observation_weight(double gamma, double n) { return power(n, -gamma); }

void LearnedDelays::size(const model::Experiment& experiment, const Books& books) {
  const model::Statistic statistic = experiment.rule.statistic;
  kind = statistic == model::Statistic::agnostic_window       ? Kind::window
         : statistic == model::Statistic::agnostic_mean       ? Kind::mean
         : statistic == model::Statistic::agnostic_likelihood ? Kind::likelihood
                                                              : Kind::none;
  gamma = experiment.rule.gamma;
  if (kind == Kind::window) matches.size(books);
}

void LearnedDelays::declare(Rows& rows, const Books& books) {
  if (kind == Kind::none) return;
  rows(exposure, books.cells());
  rows(observed, books.lanes);
  if (kind == Kind::window) {
    matches.declare(rows, books);
  } else {
    rows(mean_delay, books.lanes);
    rows(delay_total, books.lanes);
    rows(moved_at, books.lanes);
    rows(moved, books.lanes);
    rows(unseen, books.cells());
  }
}

void LearnedDelays::fill(const Books& books) {
  if (kind == Kind::window) matches.fill(books);
}

}  // namespace dbandit::kernel
