#pragma once

#include "kernel/lanes.hpp"

/// The Bernoulli KL index on M pulls with Z conversions (Garivier and Cappé 2011): M q with q = max{q : M d(Z/M, q) ≤ β}.
namespace dbandit::kernel {

/// In x = ln(q/(1−q)) the equation is F(x) = p ln p + (1−p) ln(1−p) − p x + ln(1+e^x) − c = 0, c = β/M: convex with F' = q − p, hence
/// Newton from above falls monotonically onto the root, and far from it F is nearly a line. It starts at the lesser of two upper bounds: of
/// q, from d ≥ (q−p)²/(2q) and d ≥ 2(q−p)²; of x, from ln(1+e^x) ≥ x. Seven steps leave q within 1e-13 for M ≤ 10^6 (the rest is what F
/// itself loses).
inline constexpr int kBernoulliSteps = 7;

template <class Arch>
inline Doubles<Arch> bernoulli_bound(const Doubles<Arch>& conversions, const Doubles<Arch>& pulls, double beta) {
  using D = Doubles<Arch>;
  const D one(1.0), none(0.0);
  const D c = D(beta) / pulls;
  const auto is_none = conversions == none, is_all = conversions == pulls;
  const D p = xsimd::select(is_none | is_all, D(0.5), conversions / pulls), rest = one - p;
  const D constant = p * xsimd::log(p) + rest * xsimd::log(rest) - c;
  const D above = xsimd::min(c + xsimd::sqrt(c * (c + p + p)), xsimd::sqrt(c * D(0.5))) + p;
  const auto useful = above < one;
  const D q0 = xsimd::select(useful, above, D(0.5)), line = none - constant / rest;
  D x = xsimd::select(useful, xsimd::min(xsimd::log(q0 / (one - q0)), line), line);
  D q = one;
  for (int step = 0; step <= kBernoulliSteps; ++step) {
    const D small = xsimd::exp(none - xsimd::abs(x)), whole = one + small;
    const auto right = x >= none;
    q = xsimd::select(right, one, small) / whole;
    const D value = (constant - p * x) + (xsimd::max(x, none) + xsimd::log1p(small));
    x = x - value / (q - p);
  }
  const D solved = xsimd::select(is_all, one, xsimd::select(is_none, none - xsimd::expm1(none - c), q));
  return solved * pulls;
}

}  // namespace dbandit::kernel
