#pragma once

#include "kernel/lanes.hpp"

/// The Bernoulli KL numerator U = M q (bernoulli.hpp) as a function of (Z, M, β): U > Z solves Z ln(Z/U) + (M−Z) ln((M−Z)/(M−U)) = β.
/// d is convex, so {(p, c, q) : d(p, q) ≤ c} is, q(p, c) is concave and U = M q(Z/M, β/M), its perspective, is concave and homogeneous of
/// degree one: its tangent plane at any point is above it everywhere, and goes through 0. With n = M−Z, v = M−U, y = U−Z = n−v the plane is
///   U_Z Z + U_M M + U_β β,  U_β = 1/w,  U_M = (y/v − ln(n/v))/w,  U_Z = (ln(U/Z) + ln(n/v))/w,  w = ∂β/∂U = M y/(U v):
/// three rows of a cell, of which Z moves by events, which renew it, and M and β are there anyway. How far above U it is, at (M + δ, β′)
/// when it touches at (M, β): at most |U_MM| δ² + |U_ββ| (β′−β)², the Hessian being negative definite.
///   |U_ββ| ≤ U c²/(e^c − 1)/β² < 0.648 U/β², c = β/M: least curved is Z = 0, where that is exact.
///   |U_MM| = (n (y/n − U_M)²/v² + Z U_M²/U²)/w, which does not grow by half while δ ≤ n/8 (filter_test: at random and at the edges).
namespace dbandit::kernel {

/// Relative error by the growth of M at which a plane is renewed.
inline constexpr double kPlaneDrift = 1e-6;
/// A plane touches at a β within this share of the one that is asked for.
inline constexpr double kPlaneTouch = 5e-4;
inline constexpr double kPlaneCurvature = 0.65;
/// Beyond c = β/n of this M − U ≤ n e^−c is below an ulp of M: U = M.
inline constexpr double kPlaneEnd = 33;

template <class Arch>
struct Plane {
  Doubles<Arch> base, gain, rise;  ///< U = base + gain β + rise M
  Doubles<Arch> last;              ///< M up to which it is good to kPlaneDrift
};

/// A first guess of y: for Z = 0 of M (1 − e^−c), else the first terms of the series in √β.
template <class Arch>
inline Doubles<Arch> excess_guess(const Doubles<Arch>& conversions, const Doubles<Arch>& pulls, const Doubles<Arch>& beta) {
  using D = Doubles<Arch>;
  const D share = conversions / pulls, third = beta * D(2.0 / 3.0);
  const D series = xsimd::sqrt((beta + beta) * conversions * (D(1.0) - share)) + third * (D(1.0) - share - share);
  return xsimd::select(conversions == D(0.0), beta * pulls / (pulls + D(0.5) * beta), series);
}

/// The plane at β but for kPlaneTouch. `excess` is a guess of y: whatever it is the steps end there, as β is convex in U: one step takes U
/// to or above its value, and from there they fall onto it. A step brings U nearer to M by 16 times at most, where it might jump beyond.
template <class Arch>
inline Plane<Arch> touch(const Doubles<Arch>& conversions, const Doubles<Arch>& pulls, const Doubles<Arch>& beta,
                         const Doubles<Arch>& excess) {
  using D = Doubles<Arch>;
  const D none(0.0), one(1.0);
  const auto is_all = beta >= D(kPlaneEnd) * (pulls - conversions);
  const D z = xsimd::select(is_all, none, conversions), m = xsimd::select(is_all, beta + one, pulls), n = m - z;
  const auto is_none = z == none;
  const D share_of = xsimd::select(is_none, one, z), near_enough = beta * D(kPlaneTouch);
  D v = xsimd::max(n - xsimd::max(xsimd::select(is_all, n, excess), n * D(1e-9)), n * D(1.0 / 16));
  D u, y, to_all, to_none, w;
  for (;;) {
    u = m - v, y = n - v;
    to_all = xsimd::log(n / v);
    to_none = xsimd::select(is_none, none, xsimd::log(u / share_of));
    w = m * y / (u * v);
    const D off = beta - (n * to_all - z * to_none);
    const auto far = xsimd::abs(off) > near_enough;
    if (bits<Arch>(far) == 0) break;
    v = xsimd::select(far, xsimd::max(v - off / w, v * D(1.0 / 16)), v);
  }
  const D gain = one / w, ratio = y / v, rise = (ratio - to_all) * gain;
  const D to_share = y / n - rise, bend = (n * to_share * to_share / (v * v) + z * rise * rise / (u * u)) * gain;
  const D drift = xsimd::min(xsimd::sqrt(D(kPlaneDrift) * u / bend), n * D(0.125));
  return {.base = xsimd::select(is_all, none, z * (to_none + to_all) * gain),
          .gain = xsimd::select(is_all, none, gain),
          .rise = xsimd::select(is_all, one, rise),
          .last = xsimd::select(is_all, pulls, pulls + drift)};
}

/// The numerators by the planes of the cells.
template <class Arch>
struct Planes {
  using D = Doubles<Arch>;
  D operator()(std::size_t cell) const {
    return (D::load_aligned(base + cell) + D::load_aligned(gain + cell) * D(x)) +
           D::load_aligned(rise + cell) * D::load_aligned(pulls + cell);
  }
  /// Cells of which these are equal have the same numerator, though not the same plane.
  static constexpr int kDeterminants = 2;
  D determinant(std::size_t cell, int which) const { return D::load_aligned((which == 0 ? conversions : pulls) + cell); }

  const double *base, *gain, *rise, *conversions, *pulls;
  double x;  ///< β
};

}  // namespace dbandit::kernel
