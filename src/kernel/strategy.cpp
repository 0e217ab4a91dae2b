// Policies that decide lane by lane and not by one index: a base behind queues, and arms in turn. Scalar, compiled once for the baseline
// CPU, so the same on every target. What they are is said in reference/queue.hpp and reference/elimination.hpp.
#include <algorithm>
#include <cmath>

#include "kernel/contest.hpp"

namespace dbandit::kernel {

namespace {

// xsimd's and not the C library's, whose last bit depends on the CPU it runs on.
double log_of(double x) { return xsimd::log(Doubles<xsimd::sse2>(x)).get(0); }

void push(State& s, std::size_t cell, bool converted) {
  if (s.queue_length > 0) s.queued[cell * s.queue_length + (s.queue_head[cell] + s.queue_size[cell]) % s.queue_length] = converted;
  ++s.queue_size[cell];
}

bool pop(State& s, std::size_t cell) {
  --s.queue_size[cell];
  if (s.queue_length == 0) return true;
  const bool converted = s.queued[cell * s.queue_length + s.queue_head[cell]] != 0;
  s.queue_head[cell] = static_cast<std::uint32_t>((s.queue_head[cell] + 1) % s.queue_length);
  return converted;
}

/// The arm that the base wants at its own clock.
std::uint32_t wish_of_base(const State& s, std::size_t lane) {
  const std::int64_t step = s.steps[lane] + 1;
  if (step <= static_cast<std::int64_t>(s.arms)) return s.order[static_cast<std::size_t>(step - 1) * s.lanes + lane];
  const double beta = exploration(s, step), root_beta = std::sqrt(beta);
  Contest contest(s, step, lane, false);
  do {
    for (std::size_t arm = 0, cell = lane; arm < s.arms; ++arm, cell += s.lanes) {
      const double pulls = s.fed[cell];
      if (s.index == model::IndexForm::ucb) {
        contest.enter(arm, s.fed_conversions[cell] + std::sqrt(pulls * 0.5) * root_beta, pulls);
      } else {
        const bool certain = s.clamped && s.fed_conversions[cell] == pulls;  // θ̂ = 1
        const double above = certain ? pulls : poisson_bound_exact(s.fed_conversions[cell], beta);
        s.clamped&& above >= pulls ? contest.enter(arm, 1, 1) : contest.enter(arm, above, pulls);
      }
    }
  } while (contest.again());
  return static_cast<std::uint32_t>(contest.winner());
}

/// The arms of a lane, by matured pulls.
struct Lane {
  State& s;
  std::size_t lane;
  [[nodiscard]] std::size_t cell(std::size_t arm) const { return arm * s.lanes + lane; }
  [[nodiscard]] double pulls(std::size_t arm) const { return s.matured[cell(arm)]; }
  [[nodiscard]] double share(std::size_t arm) const { return s.conversions[cell(arm)] / s.matured[cell(arm)]; }
  [[nodiscard]] bool left(std::size_t arm) const { return s.dropped[cell(arm)] == 0; }
  [[nodiscard]] std::size_t at(std::size_t place) const { return s.order[place * s.lanes + lane]; }

  [[nodiscard]] std::size_t best() const {
    std::size_t best = s.arms;
    for (std::size_t place = 0; place < s.arms; ++place) {
      const std::size_t arm = at(place);
      if (!left(arm)) continue;
      if (best == s.arms || (pulls(arm) > 0 && (pulls(best) == 0 || share(arm) > share(best)))) best = arm;
    }
    return best;
  }
  template <class Wanted>
  [[nodiscard]] std::size_t next(Wanted wanted) const {
    for (;;) {
      const std::size_t arm = at(s.turn[lane]);
      s.turn[lane] = s.turn[lane] + 1 == s.arms ? 0 : s.turn[lane] + 1;
      if (wanted(arm)) return arm;
    }
  }
};

/// The end of a batch: drops the arms that are certainly not the best; before the last batch all but the best.
void end_batch(const Lane& lane, double log_scope, bool last) {
  State& s = lane.s;
  const auto radius = [&](std::size_t arm) { return std::sqrt(log_scope / (2 * lane.pulls(arm))); };
  double bar = -1;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    if (lane.left(arm) && lane.pulls(arm) > 0) bar = std::max(bar, lane.share(arm) - radius(arm));
  }
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    if (lane.pulls(arm) > 0 && lane.share(arm) + radius(arm) < bar) s.dropped[lane.cell(arm)] = 1;
  }
  if (!last) return;
  const std::size_t winner = lane.best();
  for (std::size_t arm = 0; arm < s.arms; ++arm) s.dropped[lane.cell(arm)] = arm != winner;
}

std::size_t next_in_phase(const Lane& lane, double log_horizon) {
  State& s = lane.s;
  for (;;) {
    std::size_t count = 0;
    for (std::size_t arm = 0; arm < s.arms; ++arm) count += lane.left(arm);
    const auto left = [&](std::size_t arm) { return lane.left(arm); };
    if (count == 1) return lane.next(left);
    const int phase = s.phase[lane.lane] + 1;
    const double asked = std::ceil(std::ldexp(2 * log_horizon, 2 * phase));
    const auto wanting = [&](std::size_t arm) { return lane.left(arm) && lane.pulls(arm) < asked; };
    bool some = false;
    for (std::size_t arm = 0; arm < s.arms; ++arm) some |= wanting(arm);
    if (some) return lane.next(wanting);
    const double bar = lane.share(lane.best()) - std::ldexp(1.0, -phase);
    for (std::size_t arm = 0; arm < s.arms; ++arm) {
      if (lane.share(arm) < bar) s.dropped[lane.cell(arm)] = 1;
    }
    s.phase[lane.lane] = phase;
  }
}

}  // namespace

/// The batch of draws is still that of the last round, so what a pull comes to is read from there: the policy learns it when it is
/// disclosed or when the window ends, not before.
void fill_queues(State& s, std::int64_t round) {
  const std::int64_t last = round - 1;
  if (last == 0) return;
  const std::size_t cells = s.arms * s.lanes;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (; s.arrived[cell] < s.conversions[cell]; s.arrived[cell] += 1) push(s, cell, true);
  }
  if (s.queue_length == 0) return;
  std::uint8_t* const fate = s.fate + static_cast<std::size_t>(last % s.window) * s.lanes;
  if (last > s.window) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (s.expired[cell] == s.matured[cell]) continue;
      s.expired[cell] = s.matured[cell];
      if (fate[cell % s.lanes] == 0) push(s, cell, false);
    }
  }
  std::fill_n(fate, s.lanes, std::uint8_t{0});
  const std::int64_t slice = last - s.batch_first;
  for (std::size_t i = s.batch_slice[slice]; i < s.batch_slice[slice + 1]; ++i) {
    const std::size_t lane = s.counter[i] - s.first;
    const auto arm = static_cast<std::size_t>(s.action[lane]);
    if (s.uniform[i] >= s.threshold[arm]) continue;
    const std::int64_t delay = s.delays_by_arm ? arm_delay(s, arm, s.delay[i]) : static_cast<std::int64_t>(s.delay[i]);
    fate[lane] = delay <= s.reach;
  }
}

void ask_base(State& s) {
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    if (s.steps[lane] == 0) s.wish[lane] = wish_of_base(s, lane);
    for (;;) {
      const std::size_t cell = s.wish[lane] * s.lanes + lane;
      if (s.queue_size[cell] == 0) break;
      s.fed[cell] += 1;
      s.fed_conversions[cell] += pop(s, cell);
      ++s.steps[lane];
      s.wish[lane] = wish_of_base(s, lane);
    }
    if (s.samples) {
      const std::size_t favourite = static_cast<std::size_t>(s.action[lane]) * s.lanes + lane;
      if (s.pulls[favourite] - s.fed[favourite] < static_cast<double>(s.window)) continue;
    }
    s.action[lane] = static_cast<double>(s.wish[lane]);
  }
}

void take_turns(State& s, std::int64_t round) {
  const auto horizon = static_cast<double>(s.horizon);
  if (s.index == model::IndexForm::phases) {
    const double log_horizon = log_of(horizon);
    for (std::size_t lane = 0; lane < s.lanes; ++lane) s.action[lane] = static_cast<double>(next_in_phase({s, lane}, log_horizon));
    return;
  }
  if (round == s.batch_end + 1) {
    const double log_scope = log_of(static_cast<double>(s.arms) * horizon / static_cast<double>(s.batch_end));
    s.batch_end *= 2;
    for (std::size_t lane = 0; lane < s.lanes; ++lane) end_batch({s, lane}, log_scope, s.batch_end >= s.horizon);
  }
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    const Lane here{s, lane};
    s.action[lane] = static_cast<double>(here.next([&](std::size_t arm) { return here.left(arm); }));
  }
}

}  // namespace dbandit::kernel
