#pragma once

#include <vector>

#include "reference/worlds.hpp"

namespace dbandit::testing {

/// The two moment identities of the estimator (§5.1), which hold for every policy because a pull's outcome is drawn after the arm is
/// chosen:  E[S_k − θ_k Ñ_k] = 0  and  Var(S_k − θ_k Ñ_k) = E Σ_s 1{A_s=k} θτ(1−θτ). As z-scores over the replicas.
struct InvariantScores {
  std::int64_t round;
  std::size_t arm;
  double mean, variance;
};

inline std::vector<InvariantScores> invariant_scores(const model::Experiment& e, std::span<const std::int64_t> rounds,
                                                     std::size_t replicas) {
  const model::Paths p = paths(e, replicas);
  const std::size_t arms = e.problem.theta.size();
  std::vector<InvariantScores> scores;
  for (const std::int64_t t : rounds) {
    std::vector<std::vector<double>> error(arms, std::vector<double>(replicas)), excess = error;
    for (std::size_t lane = 0; lane < replicas; ++lane) {
      for (std::int64_t s = 1; s <= t; ++s) {
        const std::size_t k = p.actions[static_cast<std::size_t>(s - 1) * p.lanes + lane];
        const std::int64_t age = visible_age(e.window, t, s);
        const Draw d = draw(e, lane, s);
        const double chance = e.problem.theta[k] * model::cdf(e.problem.delay, age);
        error[k][lane] += (d.converts(e.problem.theta[k]) && d.delay <= age) - chance;
        excess[k][lane] -= chance * (1 - chance);
      }
      for (std::size_t k = 0; k < arms; ++k) excess[k][lane] += error[k][lane] * error[k][lane];
    }
    for (std::size_t k = 0; k < arms; ++k) scores.push_back({t, k, z_score(error[k], 0), z_score(excess[k], 0)});
  }
  return scores;
}

}  // namespace dbandit::testing
