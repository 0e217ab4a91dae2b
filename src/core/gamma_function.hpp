#pragma once

#include "core/double_double.hpp"

namespace dbandit {

/// Γ(b + ½)/Γ(b), b > 0; relative error below 1e-19.
DoubleDouble gamma_ratio(DoubleDouble b);

/// ∫_x^∞ u^(a−1) e^(−u) du, 0.001 ≤ a ≤ 1000, x ≥ 0; relative error below 1e-16.
DoubleDouble upper_gamma(const DoubleDouble& a, const DoubleDouble& x);

}  // namespace dbandit
