#include "dbandit/model/bounds.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/double_double.hpp"
#include "model/best_arm.hpp"

namespace dbandit::model {

namespace {

/// x − ln(1 + x), |x| ≤ ½. Near 0, where the two cancel, its series x²/2 − x³/3 + …
double over_log1p(double x) {
  if (std::abs(x) > 0x1p-4) return static_cast<double>(DoubleDouble(x) - log1p(DoubleDouble(x)));
  DoubleDouble sum = 0;
  for (int n = 18; n >= 2; --n) sum = DoubleDouble(1) / static_cast<double>(n) - sum * x;
  return static_cast<double>(sum * x * x);
}

/// p ln(p/q) + (q − p), the difference given apart because the caller may know it to more digits than p and q give it.
/// Infinite at q = 0 < p. Near p = q it is p (x − ln(1+x)) with x = (q−p)/p, and over_log1p keeps the digits that the two halves would
/// cancel.
double poisson_divergence(double p, double q, double difference) {
  if (p == 0) return q;
  if (std::abs(difference) <= p / 2) return p * over_log1p(difference / p);
  if (q == 0) return std::numeric_limits<double>::infinity();
  return p * static_cast<double>(log(DoubleDouble(p / q))) + difference;
}

/// With a window and a law for each arm the bound of Theorem 4 is about the visible rates ν_k = θ_k τ^k_m: Σ (ν*−ν_k)/d(ν_k,ν*) over the
/// arms that could show ν* at all (τ^k_m ≥ ν*; the laws alone tell the others apart). The upper bounds are for policies that look for the
/// largest θ, which need not be the arm of the largest ν: they do not apply.
Slopes slopes_by_arm(const Problem& problem, std::int64_t window) {
  constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();
  Slopes slopes{.lower = 0, .ucb = kDoesNotApply, .klucb = kDoesNotApply};
  const auto visible = [&](std::size_t arm) { return cdf(problem.delay[arm], window); };
  const std::size_t best = best_arm(problem, window);
  const double best_rate = problem.theta[best] * visible(best);
  for (std::size_t arm = 0; arm < problem.theta.size(); ++arm) {
    const double rate = problem.theta[arm] * visible(arm);
    if (rate < best_rate && best_rate <= visible(arm)) slopes.lower += (best_rate - rate) / bernoulli_divergence(rate, best_rate);
  }
  return slopes;
}

}  // namespace

double poisson_divergence(double p, double q) { return poisson_divergence(p, q, q - p); }

double bernoulli_divergence(double p, double q) {
  // The linear parts of d_Pois(p,q) and d_Pois(1−p,1−q) cancel exactly, and what is left is d(p,q): a sum of two
  // non-negative numbers, hence accurate where the printed form is a difference.
  return poisson_divergence(p, q, q - p) + poisson_divergence(1 - p, 1 - q, p - q);
}

Slopes slopes(const Problem& problem, const Window& window, double epsilon) {
  assert(!problem.theta.empty());
  if (window && !problem.delay.common()) return slopes_by_arm(problem, *window);
  const double best = *std::max_element(problem.theta.begin(), problem.theta.end());
  Slopes slopes;
  for (std::size_t arm = 0; arm < problem.theta.size(); ++arm) {
    const double theta = problem.theta[arm], gap = best - theta;
    if (gap == 0) continue;
    const double visible = window ? cdf(problem.delay, *window) : 1.0;
    // An infinite divergence (θ* = 1 against θ < 1) is told apart by one observation: a quotient of 0, as it should be.
    slopes.lower += visible * gap / bernoulli_divergence(visible * theta, visible * best);
    slopes.ucb += (1 + epsilon) / (2 * visible * gap);
    slopes.klucb += (1 + epsilon) * gap / poisson_divergence(theta, best);
  }
  return slopes;
}

}  // namespace dbandit::model
