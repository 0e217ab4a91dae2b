#pragma once

#include <cstdint>

#include "dbandit/model/experiment.hpp"

namespace dbandit::model {

/// E[L(T)] of an arm at random in every round: Σ_{s ≤ T} (θ* τ*_a − the mean of θ_k τ^k_a), a = min(T − s, m). Ages beyond 4096 are summed
/// in steps of 1/1024 of the age, which is right within 10^-6.
double uniform_regret(const Problem& problem, const Window& window, std::int64_t horizon);

}  // namespace dbandit::model
