#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/reference/exposure.hpp"

namespace dbandit::reference {

/// What the world answered in one round: C_s and D_s of the arm that was played, and whether the best arm would have converted on the
/// same draw, and after which delay. The best arm converts whenever another would, with the same delay unless delays depend on the arm.
struct Outcome {
  bool converts = false;
  bool best_converts = false;
  std::int64_t delay = 0;       ///< meaningless unless converts
  std::int64_t best_delay = 0;  ///< meaningless unless best_converts
};

/// Δ_k = θ* − θ_k.
std::vector<double> gaps(const model::Problem& problem);

/// Lemma 1 and its censored form: L(t) = Σ_{s≤t} Δ_{A_s} τ_{min(t−s,m)}, τ the world's whatever the policy assumes.
double regret(std::span<const double> gaps, const Actions& actions, std::span<const double> tau);
/// With one table of τ for all arms, or one each.
double regret(std::span<const double> gaps, const Actions& actions, std::span<const std::vector<double>> tau);
/// P(t) = Σ_{s≤t} Δ_{A_s}.
double pseudo_regret(std::span<const double> gaps, const Actions& actions);
/// Conversions disclosed by round t to an oracle that plays the best arm on the same draws, minus ours. At least 0 unless delays depend on
/// the arm: then a worse arm's conversion may be seen before the best arm's.
std::int64_t realised_regret(std::span<const Outcome> outcomes, const model::Window& window);

}  // namespace dbandit::reference
