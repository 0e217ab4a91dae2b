// The exact decision, in scalar, for the few lanes that the vectors could not decide: compiled once for the baseline CPU, so it is the
// same on every target.
#include <algorithm>
#include <cmath>

#include "dbandit/model/delay_law.hpp"
#include "dbandit/model/delay_table.hpp"
#include "dbandit/rng/draws.hpp"
#include "kernel/poisson.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

// Logarithms and powers are xsimd's and not the C library's, whose last bit depends on the CPU it runs on.
using Pair = Doubles<xsimd::sse2>;

double exploration(const State& state, std::int64_t round) {
  return (1 + state.epsilon) * xsimd::log(Pair(static_cast<double>(round))).get(0);
}

void look_up_exploration(State& state, std::int64_t round) {
  if (state.beta_first == 0 || round >= state.beta_first + State::kLookAhead) {
    state.beta_first = round;
    for (int i = 0; i < State::kLookAhead; ++i) state.beta_ahead[i] = exploration(state, round + i);
    for (int i = 0; i < State::kLookAhead; ++i) state.root_ahead[i] = std::sqrt(state.beta_ahead[i]);
  }
  state.beta = state.beta_ahead[round - state.beta_first];
  state.root_beta = state.root_ahead[round - state.beta_first];
}

double observation_weight(double gamma, double n) { return xsimd::exp(Pair(-gamma) * xsimd::log(Pair(n))).get(0); }

std::int64_t exact_delay(const State& state, std::uint64_t replica, std::uint64_t round) {
  return model::delay_at(*state.law, rng::open_uniform(rng::delay_bits(state.seed, replica, round)));
}

void look_up_delays(State& state, std::size_t count) {
  const model::DelayTable& table = *state.delay_tables[0];
  for (std::size_t i = 0; i < count; ++i) state.delay[i] = static_cast<double>(table.at(state.delay[i]));
}

std::int64_t arm_delay(const State& state, std::size_t arm, double v) { return state.delay_tables[arm]->at(v); }

/// h(S, ·) is concave with |h''| = h/(S² (x−1)³ ) · 1, and with the lower bracket of g that is at most h/(9β²) for every S: a tangent
/// at the middle of [β₀, β₁] overestimates h by at most h (β₁−β₀)²/(72 β₀²). A span is as long as keeps that below 5e-7. Of two
/// arms one polynomial may be too large and the other too small, and what is within kTie is a tie.
void begin_span(State& state, std::int64_t round) {
  constexpr double kStretch = 0.006;
  const double first = static_cast<double>(round);
  const auto last = static_cast<std::int64_t>(std::pow(first, 1 + kStretch));
  const std::int64_t end = std::min(std::max(last, round), state.horizon);
  const double low = exploration(state, round), high = exploration(state, end);
  state.span_end = end + 1;
  state.span_beta = (low + high) / 2;
  const double relative = (high - low) / low;
  state.margin = relative * relative / 72 + 2 * kPolynomialError + 2 * kTie;
}

namespace {

double poisson_bound_exact(double conversions, double beta) {
  using Arch = xsimd::sse2;
  return poisson_bound<Arch>(Doubles<Arch>(conversions), beta, excess_newton<Arch, kFullSteps>).get(0);
}

/// The operations of denominator<> in choose.hpp, in their order.
double denominator(const State& s, std::size_t cell) {
  switch (s.denominator) {
    case Denominator::recursion:
      return (s.pulls[cell] - s.decay.matured * s.matured[cell]) - s.decay.power[s.decay.phase] * s.deficit[cell];
    case Denominator::matured:
      return s.window_cdf * s.matured[cell];
    case Denominator::pulls:
      return s.pulls[cell];
    case Denominator::row:
      return s.exposure[cell];
  }
  return 0;
}

/// The arm of largest index in a lane, ties by the tie keys. Ties are relative to the largest index, which is known only at the end:
/// where an index is near another but not equal to it, a second pass over the arms settles who is within kTie of the largest.
class Contest {
 public:
  Contest(const State& state, std::int64_t round, std::size_t lane, bool keys_are_drawn)
      : s_(state), round_(static_cast<std::uint64_t>(round)), lane_(lane), keys_are_drawn_(keys_are_drawn) {}

  /// An arm whose index is above/below; below = 0 is +∞.
  void enter(std::size_t arm, double above, double below) {
    const double challenger = above * below_, champion = above_ * below;
    const double distance = std::abs(challenger - champion);
    if (second_pass_) {
      if (distance <= kTie * champion) tie(arm);
      return;
    }
    near_ |= distance > 0 && distance <= 4 * kTie * champion;
    if (challenger == champion) {
      tie(arm);
    } else if (challenger > champion) {
      above_ = above, below_ = below, winner_ = arm, keyed_ = false;
    }
  }
  /// Whether the arms must be entered once more.
  [[nodiscard]] bool again() {
    if (second_pass_ || !near_) return false;
    second_pass_ = true, keyed_ = false;
    return true;
  }
  [[nodiscard]] std::size_t winner() const { return winner_; }

 private:
  std::uint32_t key(std::size_t arm) const {
    if (keys_are_drawn_) return s_.tie_keys[arm * s_.lanes + lane_];
    return rng::tie_key(s_.seed, s_.first + lane_, round_, arm);
  }
  void tie(std::size_t arm) {
    if (s_.lowest_ties) {
      winner_ = std::min(winner_, arm);
      return;
    }
    if (arm == winner_) return;
    if (!keyed_) winner_key_ = key(winner_), keyed_ = true;
    const std::uint32_t rival = key(arm);
    if (rival > winner_key_ || (rival == winner_key_ && arm < winner_)) winner_ = arm, winner_key_ = rival;
  }

  const State& s_;
  std::uint64_t round_;
  std::size_t lane_;
  bool keys_are_drawn_;
  bool near_ = false, second_pass_ = false, keyed_ = false;
  double above_ = -1, below_ = 1;
  std::size_t winner_ = 0;
  std::uint32_t winner_key_ = 0;
};

/// Enters the arms of a lane that can win, each with its exact KL index. The tangents, good to s.margin, tell most arms apart: one that
/// is clear of Ñ is clamped for certain, one clear below the leader cannot win, and neither needs a solve.
void contest_by_tangents(const State& s, std::size_t lane, double beta, Contest& contest) {
  const double doubt = 2 * s.margin;
  double lead_above = -1, lead_below = 1;
  for (std::size_t cell = lane; cell < s.arms * s.lanes; cell += s.lanes) {
    const double below = denominator(s, cell);
    double above = s.base[cell] + s.gain[cell] * beta;
    if (s.clamped && !(above < below)) above = below;
    if (!(below > 0) || above * lead_below > lead_above * below) {
      lead_above = below > 0 ? above : 1, lead_below = below > 0 ? below : s.clamped ? 1 : 0;
      if (lead_below == 0) break;
    }
  }
  for (std::size_t arm = 0, cell = lane; arm < s.arms; ++arm, cell += s.lanes) {
    const double below = denominator(s, cell);
    if (!(below > 0)) {
      contest.enter(arm, 1, s.clamped ? 1 : 0);
      continue;
    }
    const double tangent = s.base[cell] + s.gain[cell] * beta;
    if (s.clamped && tangent * (1 - doubt) >= below) {
      contest.enter(arm, 1, 1);
    } else if (tangent * lead_below * (1 + doubt) >= lead_above * below) {
      const double above = poisson_bound_exact(s.conversions[cell], beta);
      if (s.clamped && above >= below) {
        contest.enter(arm, 1, 1);
      } else {
        contest.enter(arm, above, below);
      }
    }
  }
}

void contest_by_indices(const State& s, std::size_t lane, double beta, double root_beta, Contest& contest) {
  for (std::size_t arm = 0, cell = lane; arm < s.arms; ++arm, cell += s.lanes) {
    const double below = denominator(s, cell);
    if (!(below > 0)) {  // nothing can be known of this arm yet: a clamped index is 1, any other +∞
      contest.enter(arm, 1, s.index == model::IndexForm::klucb && s.clamped ? 1 : 0);
      continue;
    }
    const bool ucb = s.index == model::IndexForm::ucb;
    double above = ucb ? s.conversions[cell] + s.gain[cell] * root_beta : poisson_bound_exact(s.conversions[cell], beta);
    if (!ucb && s.clamped && above > below) above = below;
    contest.enter(arm, above, below);
  }
}

}  // namespace

void resolve(State& s, std::int64_t round, bool keys_are_drawn) {
  const double beta = s.beta, root_beta = s.root_beta;
  const bool tangents = s.index == model::IndexForm::klucb && s.solver == model::Solver::direct;
  for (std::size_t i = 0; i < s.undecided_count; ++i) {
    const std::size_t lane = s.undecided[i];
    Contest contest(s, round, lane, keys_are_drawn);
    do {
      if (s.statistic == model::Statistic::none) {
        for (std::size_t arm = 0; arm < s.arms; ++arm) contest.enter(arm, 1, 1);
      } else if (tangents) {
        contest_by_tangents(s, lane, beta, contest);
      } else {
        contest_by_indices(s, lane, beta, root_beta, contest);
      }
    } while (contest.again());
    s.action[lane] = static_cast<double>(contest.winner());
  }
}

}  // namespace dbandit::kernel
