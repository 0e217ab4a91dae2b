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

/// The index a rule asks for.
double index(const model::Rule& rule, const ArmStatistics& arm, double beta);

/// Indices closer than this, relatively, are tied: arms whose indices are equal by definition must not be told apart by the rounding of
/// the sums behind them.
inline constexpr double kTie = 1e-12;

/// The arms whose index is the largest or tied with it, in rising order.
std::vector<std::size_t> maximisers(std::span<const double> indices);

}  // namespace dbandit::reference
