// The exact decision, in scalar, for the few lanes that the vectors could not decide: compiled once for the baseline CPU, so it is the
// same on every target.
#include "kernel/policy/index.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

double exploration(double epsilon, std::int64_t round) {
  return (1 + epsilon) * xsimd::log(Doubles<Baseline>(static_cast<double>(round))).get(0);
}

double power(double base, double exponent) {
  using Pair = Doubles<Baseline>;
  return xsimd::exp(Pair(exponent) * xsimd::log(Pair(base))).get(0);
}

void Exploration::look_up(std::int64_t round) {
  if (first == 0 || round >= first + kAhead) {
    first = round;
    for (int i = 0; i < kAhead; ++i) ahead[i] = exploration(epsilon, round + i);
    for (int i = 0; i < kAhead; ++i) root_ahead[i] = std::sqrt(ahead[i]);
  }
  beta = ahead[round - first];
  root_beta = root_ahead[round - first];
}

double Span::stretch(double epsilon, std::int64_t horizon, std::int64_t round, double share) {
  const auto last_round = static_cast<std::int64_t>(power(static_cast<double>(round), 1 + share));
  const std::int64_t last = std::min(std::max(last_round, round), horizon);
  const double low = exploration(epsilon, round), high = exploration(epsilon, last);
  end = last + 1;
  beta = (low + high) / 2;
  return (high - low) / low;
}

/// h(S, ·) is concave with |h''| = h/(S² (x−1)³ ) · 1, and with the lower bracket of g that is at most h/(9β²) for every S: a tangent
/// at the middle of [β₀, β₁] overestimates h by at most h (β₁−β₀)²/(72 β₀²). A span is as long as keeps that below 5e-7. Of two
/// arms one polynomial may be too large and the other too small, and what is within kTie is a tie.
void Span::begin(double epsilon, std::int64_t horizon, std::int64_t round) {
  const double relative = stretch(epsilon, horizon, round, 0.006);
  margin = relative * relative / 72 + 2 * kPolynomialError + 2 * kTie;
}

/// β is at most half a span and the width of a touch from where a plane touches (bernoulli_planes.hpp). What a plane loses: its logarithm
/// of n/v, below an ulp of 1, weighs n v/(M y) in a numerator, and y is 1 at least.
void Span::begin_planes(double epsilon, std::int64_t horizon, std::int64_t round) {
  const double off = stretch(epsilon, horizon, round, 0.002) / 2 + 1.01 * kPlaneTouch;
  margin = kPlaneCurvature * off * off + kPlaneDrift + 1e-15 * static_cast<double>(horizon) + 2 * kTie;
}

void Index::size(const Setup& setup, const Books& books) {
  const model::Experiment& e = setup.experiment;
  const model::Rule& rule = e.rule;
  statistic = rule.statistic;
  form = rule.index;
  clamped = rule.clamp == model::Clamp::one && !(form == model::IndexForm::ucb || form == model::IndexForm::patient);
  solver = setup.solver;
  exploration.epsilon = rule.epsilon;
  const bool discards = statistic == model::Statistic::matured;
  start_rounds = static_cast<std::int64_t>(books.arms) + (discards ? books.window : 0);
  window_cdf = e.window ? model::cdf(e.believed()[0], *e.window) : 1;
  radius_scale = discards && rule.radius == model::Radius::paper ? 0.5 * window_cdf : 0.5;
  by_arm = discards && !e.believed().common();
  learned.size(e, books);
  // The sum of parts that fits another law may fall, or grow faster than the law.
  const bool is_fit = statistic == model::Statistic::exposure && setup.exposure == model::Exposure::approx;
  leads = (has_radius() || has_tangents() || has_planes()) && learned.kind == LearnedDelays::Kind::none && !is_fit;
}

void Index::declare(Rows& rows, const Books& books) {
  rows(gain, books.cells());
  if (has_tangents()) {
    rows(base, books.cells());
    rows(changed, kChanged);
    rows(touched, 3 * kChanged);
  }
  if (has_planes()) {
    for (double** row : {&base, &rise, &last}) rows(*row, books.cells());
    rows(changed, books.lanes + kChanged);
  }
  if (leads) rows(certain_until, books.lanes);
  if (by_arm) {
    rows(window_cdf_by_arm, books.arms);
    rows(visible, books.cells());
  }
  learned.declare(rows, books);
}

void Index::fill(const Setup& setup, const Books& books) {
  for (std::size_t arm = 0; by_arm && arm < books.arms; ++arm) {
    window_cdf_by_arm[arm] = model::cdf(setup.experiment.believed()[arm], *setup.experiment.window);
  }
  learned.fill(books);
}

namespace {

double numerator(const Index& index, const Books& books, std::size_t cell) {
  const double conversions = books.conversions[cell];
  switch (index.form) {
    case model::IndexForm::ucb:
    case model::IndexForm::patient:
      return conversions + index.gain[cell] * index.radius_factor();
    case model::IndexForm::bernkl: {
      using Pair = Doubles<Baseline>;
      return bernoulli_bound<Baseline>(Pair(conversions), Pair(books.matured[cell]), index.exploration.beta).get(0);
    }
    case model::IndexForm::klucb:
      return poisson_bound_exact(conversions, index.exploration.beta);
    case model::IndexForm::thompson:
    case model::IndexForm::imed:
    case model::IndexForm::batches:
    case model::IndexForm::phases:
      break;
  }
  assert(false && "another family's");
  return 0;
}

/// Enters the arms of a lane that can win, each with its exact KL index. The tangents, good to the margin, tell most arms apart: one that
/// is clear of Ñ is clamped for certain, one clear below the leader cannot win, and neither needs a solve.
void enter_by_tangents(const Index& index, const Books& books, const Denominator& denominator, std::size_t lane, Contest& contest) {
  const double doubt = 2 * index.span.margin, beta = index.exploration.beta;
  const bool clamped = index.clamped, has_planes = index.has_planes();
  const auto estimate = [&](std::size_t cell) {
    const double above = index.base[cell] + index.gain[cell] * beta;
    return has_planes ? above + index.rise[cell] * books.matured[cell] : above;
  };
  double lead_above = -1, lead_below = 1;
  for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
    const double below = denominator(cell);
    double above = estimate(cell);
    if (clamped && !(above < below)) above = below;
    if (!(below > 0) || above * lead_below > lead_above * below) {
      lead_above = below > 0 ? above : 1, lead_below = below > 0 ? below : clamped ? 1 : 0;
      if (lead_below == 0) break;
    }
  }
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double below = denominator(cell);
    if (!(below > 0)) {
      contest.enter(arm, 1, clamped ? 1 : 0);
      continue;
    }
    const double tangent = estimate(cell);
    if (clamped && tangent * (1 - doubt) >= below) {
      contest.enter(arm, 1, 1);
    } else if (tangent * lead_below * (1 + doubt) >= lead_above * below) {
      const double above = numerator(index, books, cell);
      if (clamped && above >= below) {
        contest.enter(arm, 1, 1);
      } else {
        contest.enter(arm, above, below);
      }
    }
  }
}

void enter_by_indices(const Index& index, const Books& books, const Denominator& denominator, std::size_t lane, Contest& contest) {
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double below = denominator(cell);
    if (!(below > 0)) {  // nothing can be known of this arm yet: a clamped index is 1, any other +∞
      contest.enter(arm, 1, index.clamped ? 1 : 0);
      continue;
    }
    double above = numerator(index, books, cell);
    if (index.clamped && above > below) above = below;
    contest.enter(arm, above, below);
  }
}

}  // namespace

std::size_t Index::resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const Denominator below = denominator(books, exposure);
  Contest contest(books, ties, round, lane);
  do {
    has_tangents() || has_planes() ? enter_by_tangents(*this, books, below, lane, contest)
                                   : enter_by_indices(*this, books, below, lane, contest);
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
