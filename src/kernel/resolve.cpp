// The exact decision, in scalar, for the few lanes that the vectors could not decide: compiled once for the baseline CPU, so it is the
// same on every target.
#include <algorithm>
#include <cmath>

#include "dbandit/model/delay_law.hpp"
#include "dbandit/model/delay_table.hpp"
#include "dbandit/model/truncated_mean.hpp"
#include "dbandit/rng/draws.hpp"
#include "dbandit/rng/gamma.hpp"
#include "kernel/bernoulli.hpp"
#include "kernel/contest.hpp"

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

double likeliest_mean(double n, double total, std::int64_t round) { return model::truncated_mean(n, total, static_cast<double>(round)); }

namespace {

double power(double base, double exponent) { return xsimd::exp(Pair(exponent) * xsimd::log(Pair(base))).get(0); }

}  // namespace

double observation_weight(double gamma, double n) { return power(n, -gamma); }

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
  const auto last = static_cast<std::int64_t>(power(first, 1 + kStretch));
  const std::int64_t end = std::min(std::max(last, round), state.horizon);
  const double low = exploration(state, round), high = exploration(state, end);
  state.span_end = end + 1;
  state.span_beta = (low + high) / 2;
  const double relative = (high - low) / low;
  state.margin = relative * relative / 72 + 2 * kPolynomialError + 2 * kTie;
}

namespace {

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

void contest_by_samples(const State& s, std::size_t lane, Contest& contest) {
  for (std::size_t arm = 0, cell = lane; arm < s.arms; ++arm, cell += s.lanes) {
    contest.enter(arm, s.base[cell], denominator(s, cell) + s.prior_rate);
  }
}

bool is_clamped(const State& s) { return s.clamped && (s.index == model::IndexForm::klucb || s.index == model::IndexForm::bernkl); }

void contest_by_indices(const State& s, std::size_t lane, double beta, double root_beta, Contest& contest) {
  for (std::size_t arm = 0, cell = lane; arm < s.arms; ++arm, cell += s.lanes) {
    const double below = denominator(s, cell);
    if (!(below > 0)) {  // nothing can be known of this arm yet: a clamped index is 1, any other +∞
      contest.enter(arm, 1, is_clamped(s) ? 1 : 0);
      continue;
    }
    double above = 0;
    switch (s.index) {
      case model::IndexForm::ucb:
        above = s.conversions[cell] + s.gain[cell] * root_beta;
        break;
      case model::IndexForm::patient:
        above = s.conversions[cell] + s.gain[cell] * (root_beta + kPatience);
        break;
      case model::IndexForm::bernkl:
        above = bernoulli_bound<xsimd::sse2>(Pair(s.conversions[cell]), Pair(s.matured[cell]), beta).get(0);
        break;
      default:
        above = poisson_bound_exact(s.conversions[cell], beta);
    }
    if (is_clamped(s) && above > below) above = below;
    contest.enter(arm, above, below);
  }
}

}  // namespace

void finish_samples(State& s, std::int64_t round, std::size_t listed) {
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t cell = s.unsure[i], arm = cell / s.lanes, lane = cell % s.lanes;
    s.base[cell] = rng::gamma_at(s.seed, s.first + lane, static_cast<std::uint64_t>(round), arm, s.conversions[cell] + s.prior_shape);
  }
}

void resolve(State& s, std::int64_t round, bool keys_are_drawn) {
  const double beta = s.beta, root_beta = s.root_beta;
  const bool tangents = s.index == model::IndexForm::klucb && s.solver == model::Solver::direct;
  for (std::size_t i = 0; i < s.undecided_count; ++i) {
    const std::size_t lane = s.undecided[i];
    Contest contest(s, round, lane, keys_are_drawn);
    do {
      if (s.statistic == model::Statistic::none) {
        for (std::size_t arm = 0; arm < s.arms; ++arm) contest.enter(arm, 1, 1);
      } else if (s.samples) {
        contest_by_samples(s, lane, contest);
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
