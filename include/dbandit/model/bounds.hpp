#pragma once

#include "dbandit/model/experiment.hpp"

namespace dbandit::model {

/// Bernoulli Kullback-Leibler divergence d(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)).
double bernoulli_divergence(double p, double q);
/// Poisson divergence d_Pois(p, q) = p ln(p/q) + q − p (§5.3).
double poisson_divergence(double p, double q);

/// Regret per ln T that the theory allows or grants.
struct Slopes {
  double lower = 0;  ///< Theorems 3 and 4: no uniformly efficient policy does better
  double ucb = 0;    ///< Theorem 9 and its corollary; NaN where it does not apply
  double klucb = 0;  ///< Theorem 11, with its constant kept as Σ Δ/d_Pois; NaN where it does not apply
};
/// window = none gives the uncensored slopes (τ_m → 1). With a window and delays that depend on the arm only the lower bound applies.
Slopes slopes(const Problem& problem, const Window& window, double epsilon);

}  // namespace dbandit::model
