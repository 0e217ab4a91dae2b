#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"

namespace dbandit::reference {

/// What an arm's index is computed from: θ̂ = conversions / exposure, and the pulls that carry the noise of the estimate.
/// No exposure at all (≤ 0) says that nothing is known: the index is as large as it can be.
struct ArmStatistics {
  double conversions = 0;  ///< S_k, or Z_k (Discarding)
  double exposure = 0;     ///< Ñ_k, or τ_m M_k
  double pulls = 0;        ///< N_k, or M_k
};

/// β(t) = (1+ε) ln t (§6).
double exploration(double epsilon, std::int64_t round);

/// §5.2: U = θ̂ + sqrt(N/Ñ) sqrt(β/(2Ñ)) = (S + sqrt(Nβ/2)) / Ñ. Not clamped.
double ucb_index(const ArmStatistics& arm, double beta);

/// §5.3: U = max{q ∈ [θ̂,1] : Ñ d_Pois(θ̂,q) ≤ β}, by bisection until no double lies between the ends; 1 when θ̂ ≥ 1, which happens
/// early (one conversion on an exposure of 0.002). Clamp::none drops the cap at 1.
double klucb_index(const ArmStatistics& arm, double beta, model::Clamp clamp);

/// Manegueu, Vernade, Carpentier, Valko (ICML 2020), PatientBandits: only a bound N^−α on the share of conversions still on their way is
/// assumed, so the plain mean S/N gets the radius of UCB and N^−α on top: of N pulls at least N − d are older than d rounds, so at most a
/// share d/N + d^−α of what converts is unseen. Fixed here, without the paper's text at hand: the bias has the factor 1 and the exponent
/// min(α, 1/2), since beyond 1/2 the radius decides; α is given, not learned; the radius is that of §5.2 with β(t).
/// U = S/N + sqrt(β/(2N)) + N^−min(α, 1/2). Not clamped.
double patient_index(const ArmStatistics& arm, double beta, double alpha);

/// IMED (Honda, Takemura, JMLR 2015) with the statistics of §5: Ñ d_Pois(θ̂, θ̂*) + ln Ñ of every arm, θ̂* the largest estimate; −∞ where
/// nothing can be known yet. The least is played. Fixed here: the Poisson divergence, as for KL-UCB, and no cap at 1.
std::vector<double> imed_indices(std::span<const ArmStatistics> arms);

/// The Bernoulli KL-UCB of Garivier and Cappé (2011) for the chance τ_mθ that a matured pull has converted, over τ_m:
/// U = max{q ∈ [Z/M,1] : M d(Z/M,q) ≤ β} / τ_m. Its slope is the censored lower bound (Theorem 3), which the Poisson divergence misses by
/// up to 1/(1 − τ_mθ*); like Discarding it waits a window for the first decision.
double bernkl_index(const ArmStatistics& arm, double beta, model::Clamp clamp);

/// The index a rule asks for; 0 for a rule that has none (Thompson sampling draws, eliminations take turns).
double index(const model::Rule& rule, const ArmStatistics& arm, double beta);

using model::kTie;

/// The arms whose index is the largest or tied with it, in rising order.
std::vector<std::size_t> maximisers(std::span<const double> indices);
/// The arms whose index is the least or within kTie (1 + |least|) of it: these may be 0 or negative.
std::vector<std::size_t> minimisers(std::span<const double> indices);

}  // namespace dbandit::reference
