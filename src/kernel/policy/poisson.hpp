#pragma once

#include "kernel/lanes.hpp"

/// The Poisson KL index without its exposure: U = h(S, β)/Ñ with h(S, β) = S g(β/S), where x = g(c) ≥ 1 solves
/// x − 1 − ln x = c (§5.3; because θ̂ Ñ = S the solve does not see Ñ). With y = x − 1 the equation is y − log1p(y) = c, which
/// keeps its digits when c is small (a large S), where x − 1 − ln x would lose them all.
namespace dbandit::kernel {

/// y = g(c) − 1 by Newton from above: in s = √(2c) the lesser of s + s²/2 (the upper bracket) and s + s²/3 + s³/36 (the series, whose
/// next term is negative). y − log1p(y) is convex and increasing, so the iterates fall monotonically onto the root and every lane
/// takes the same number of steps: no divergence. c ∈ [1e-16, 1e7]: kFullSteps leaves h within kSolverUlps (what log1p and the last
/// division lose; the worst of 3 million was 3.82).
inline constexpr int kFullSteps = 4;
inline constexpr double kSolverUlps = 4;

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

/// y without a logarithm: s P(s), s = √(2c) ≤ kPolynomialEnd, within kPolynomialError of 1 + y (fit_excess.py 6.6 11 prints the
/// coefficients). That covers every S ≥ 1 while β < 21.78; lanes beyond (a large ε) go by Newton, each by itself: whether its
/// neighbours do depends on the width of a vector.
inline constexpr double kPolynomialEnd = 6.6;
inline constexpr double kPolynomialError = 4e-9;
inline constexpr double kPolynomial[] = {
    1.0000000064013432,     0.33333305469053476,   0.027779764524731913,    -0.003709166086267329,
    0.00023900736657429748, 5.30899681479122e-05,  -2.3324113592634585e-05, 4.824848612329756e-06,
    -6.429644651194086e-07, 5.554031435947364e-08, -2.832953737401481e-09,  6.476746810950633e-11,
};
template <class Arch>
inline Doubles<Arch> excess_polynomial(const Doubles<Arch>& c) {
  using D = Doubles<Arch>;
  const D s = xsimd::sqrt(c + c);
  constexpr int kDegree = sizeof(kPolynomial) / sizeof(double) - 1;
  D p(kPolynomial[kDegree]);
  for (int i = kDegree - 1; i >= 0; --i) p = p * s + D(kPolynomial[i]);
  const auto beyond = s > D(kPolynomialEnd);
  if (bits<Arch>(beyond) == 0) return s * p;
  return xsimd::select(beyond, excess_newton<Arch, kFullSteps>(c), s * p);
}

/// y by halving the bracket √(2c) + 2c/3 < y < √(2c) + c, which shrinks below an ulp of 1 + y in 54 halvings: the classical way.
/// c ∈ [1e-16, 1e7]: within kSolverUlps (the worst of 3 million was 3.13).
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
