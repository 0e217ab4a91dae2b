#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "reference/exposure.hpp"

namespace dbandit::reference {

/// What the world answered in one round: C_s and D_s of the arm that was played, and whether the best arm would have converted on the
/// same draw, and after which delay. With one law for all arms the best arm converts whenever another would, with the same delay.
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
/// The arm of the largest θ_k τ^k_m (θ_k uncensored, and with one law for all arms), the first of equals.
std::size_t best_arm(const model::Problem& problem, const model::Window& window);
/// The same where each arm has a τ of its own: L(t) = Σ_{s≤t} (θ* τ*_{min(t−s,m)} − θ_{A_s} τ^{A_s}_{min(t−s,m)}). Negative while a quicker
/// arm is ahead.
double regret_by_arm(const model::Problem& problem, std::size_t best, const Actions& actions, std::span<const std::vector<double>> tau);
/// P(t) = Σ_{s≤t} Δ_{A_s}.
double pseudo_regret(std::span<const double> gaps, const Actions& actions);
/// Conversions disclosed by round t to an oracle that plays the best arm on the same draws, minus ours. At least 0 unless delays depend on
/// the arm: then a worse arm's conversion may be seen before the best arm's.
std::int64_t realised_regret(std::span<const Outcome> outcomes, const model::Window& window);

}  // namespace dbandit::reference
