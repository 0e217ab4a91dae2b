#include "kernel/policy/turns.hpp"

#include <algorithm>
#include <cmath>

namespace dbandit::kernel {

namespace {

// xsimd's and not the C library's, whose last bit depends on the CPU it runs on.
double log_of(double x) { return xsimd::log(Doubles<Baseline>(x)).get(0); }

/// The arms of a lane, by matured pulls.
struct Lane {
  const Turns& s;
  const Books& books;
  std::size_t lane;
  [[nodiscard]] std::size_t cell(std::size_t arm) const { return arm * books.lanes + lane; }
  [[nodiscard]] double pulls(std::size_t arm) const { return books.matured[cell(arm)]; }
  [[nodiscard]] double share(std::size_t arm) const { return books.conversions[cell(arm)] / books.matured[cell(arm)]; }
  [[nodiscard]] bool left(std::size_t arm) const { return s.dropped[cell(arm)] == 0; }
  [[nodiscard]] std::size_t at(std::size_t place) const { return books.order[place * books.lanes + lane]; }

  [[nodiscard]] std::size_t best() const {
    std::size_t best = books.arms;
    for (std::size_t place = 0; place < books.arms; ++place) {
      const std::size_t arm = at(place);
      if (!left(arm)) continue;
      if (best == books.arms || (pulls(arm) > 0 && (pulls(best) == 0 || share(arm) > share(best)))) best = arm;
    }
    return best;
  }
  template <class Wanted>
  [[nodiscard]] std::size_t next(Wanted wanted) const {
    for (;;) {
      const std::size_t arm = at(s.turn[lane]);
      s.turn[lane] = s.turn[lane] + 1 == books.arms ? 0 : s.turn[lane] + 1;
      if (wanted(arm)) return arm;
    }
  }
};

/// The end of a batch: drops the arms that are certainly not the best; before the last batch all but the best.
void end_batch(const Lane& lane, double log_scope, bool last) {
  const Turns& s = lane.s;
  const std::size_t arms = lane.books.arms;
  const auto radius = [&](std::size_t arm) { return std::sqrt(log_scope / (2 * lane.pulls(arm))); };
  double bar = -1;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (lane.left(arm) && lane.pulls(arm) > 0) bar = std::max(bar, lane.share(arm) - radius(arm));
  }
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (lane.pulls(arm) > 0 && lane.share(arm) + radius(arm) < bar) s.dropped[lane.cell(arm)] = 1;
  }
  if (!last) return;
  const std::size_t winner = lane.best();
  for (std::size_t arm = 0; arm < arms; ++arm) s.dropped[lane.cell(arm)] = arm != winner;
}

std::size_t next_in_phase(const Lane& lane, double log_horizon) {
  const Turns& s = lane.s;
  const std::size_t arms = lane.books.arms;
  for (;;) {
    std::size_t count = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) count += lane.left(arm);
    const auto left = [&](std::size_t arm) { return lane.left(arm); };
    if (count == 1) return lane.next(left);
    const int phase = s.phase[lane.lane] + 1;
    const double asked = std::ceil(std::ldexp(2 * log_horizon, 2 * phase));
    const auto wanting = [&](std::size_t arm) { return lane.left(arm) && lane.pulls(arm) < asked; };
    bool some = false;
    for (std::size_t arm = 0; arm < arms; ++arm) some |= wanting(arm);
    if (some) return lane.next(wanting);
    const double bar = lane.share(lane.best()) - std::ldexp(1.0, -phase);
    for (std::size_t arm = 0; arm < arms; ++arm) {
      if (lane.share(arm) < bar) s.dropped[lane.cell(arm)] = 1;
    }
    s.phase[lane.lane] = phase;
  }
}

}  // namespace

void Turns::size(const Setup& setup, const Books& books) {
  const model::Experiment& experiment = setup.experiment;
  by_phases = experiment.rule.index == model::IndexForm::phases;
  batch_end = std::max(experiment.window.value_or(books.horizon), static_cast<std::int64_t>(books.arms));
}

void Turns::declare(Rows& rows, const Books& books) {
  rows(dropped, books.cells());
  rows(turn, books.lanes);
  rows(phase, books.lanes);
}

void Turns::take(const Books& books, std::int64_t round) {
  const auto horizon = static_cast<double>(books.horizon);
  if (by_phases) {
    const double log_horizon = log_of(horizon);
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      books.action[lane] = static_cast<double>(next_in_phase({*this, books, lane}, log_horizon));
    }
    return;
  }
  if (round == batch_end + 1) {
    const double log_scope = log_of(static_cast<double>(books.arms) * horizon / static_cast<double>(batch_end));
    batch_end *= 2;
    for (std::size_t lane = 0; lane < books.lanes; ++lane) end_batch({*this, books, lane}, log_scope, batch_end >= books.horizon);
  }
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    const Lane here{*this, books, lane};
    books.action[lane] = static_cast<double>(here.next([&](std::size_t arm) { return here.left(arm); }));
  }
}

}  // namespace dbandit::kernel
