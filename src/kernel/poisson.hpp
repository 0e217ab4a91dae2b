#pragma once

#include "kernel/lanes.hpp"

/// The Poisson KL index without its exposure: U = h(S, β)/Ñ with h(S, β) = S g(β/S), where x = g(c) ≥ 1 solves
/// x − 1 − ln x = c (§4.3; because θ̂ Ñ = S the solve does not see Ñ). With y = x − 1 the equation is y − log1p(y) = c, which
/// keeps its digits when c is small (a large S), where x − 1 − ln x would lose them all.
namespace dbandit::kernel {

/// y = g(c) − 1 by Newton from above: in s = √(2c) the lesser of s + s²/2 (the upper bracket) and s + s²/3 + s³/36 (the series, whose
/// next term is negative). y − log1p(y) is convex and increasing, so the iterates fall monotonically onto the root and every lane
/// takes the same number of steps: no divergence. c ∈ [1e-16, 1e7]: kFullSteps leaves 1 + y within 4 ulp (what log1p and the
/// last division lose), kTangentSteps within 3e-8 of itself.
inline constexpr int kFullSteps = 4;
inline constexpr int kTangentSteps = 2;
inline constexpr double kTangentError = 3e-8;
template <class Arch, int Steps>
inline Doubles<Arch> excess_newton(const Doubles<Arch>& c) {
  using D = Doubles<Arch>;
  const D s = xsimd::sqrt(c + c);
  D y = s + xsimd::min(c, c * (D(2.0 / 3.0) + s * D(1.0 / 18.0)));
  for (int i = 0; i < Steps; ++i) {
    // y − f/f' with f = y − log1p(y) − c, f' = y/(1+y), written without the cancellation of y against f/f'.
    y = ((D(1.0) + y) * (xsimd::log1p(y) + c) - y) / y;
  }
  return y;
}

/// y by halving the bracket √(2c) + 2c/3 < y < √(2c) + c, which shrinks below an ulp of 1 + y in 54 halvings: the classical way.
template <class Arch>
inline Doubles<Arch> excess_bisection(const Doubles<Arch>& c) {
  using D = Doubles<Arch>;
  const D root = xsimd::sqrt(c + c);
  D low = root + c * D(2.0 / 3.0), high = root + c;
  for (int i = 0; i < 54; ++i) {
    const D middle = (low + high) * D(0.5);
    const auto above = middle - xsimd::log1p(middle) > c;
    high = xsimd::select(above, middle, high);
    low = xsimd::select(above, low, middle);
  }
  return (low + high) * D(0.5);
}

/// h(S, β) = S + S y(β/S), and β where S = 0.
template <class Arch, class Excess>
inline Doubles<Arch> poisson_bound(const Doubles<Arch>& conversions, double beta, Excess excess) {
  using D = Doubles<Arch>;
  const auto none = conversions == D(0.0);
  const D s = xsimd::select(none, D(1.0), conversions);
  return xsimd::select(none, D(beta), s + s * excess(D(beta) / s));
}

}  // namespace dbandit::kernel
