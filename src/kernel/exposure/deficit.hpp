#pragma once

#include "core/double_double.hpp"
#include "kernel/exposure/denominator.hpp"
#include "kernel/setup.hpp"

namespace dbandit::kernel {

/// Geometric law: the exposure by recursion (§7), scaled so that an idle arm costs nothing. The deficit of an arm, W ← ρ(W + 1{pulled}) −
/// ρ^{m+1} 1{leaving the window}, is kept as w = W/ρ^j, j rounds into the current period: then a round changes w only for the
/// arm pulled (+ρ^{−j}) and the arm that leaves (−ρ^{m−j}), and Ñ = (N − ρ^{m+1} M) − ρ^j w. Every `period` rounds all w are
/// multiplied by ρ^period. Rounding is contracted by ρ as in the plain form. The account changes w, in the pass that counts the pulls.
struct Deficit {
  static constexpr int kPeriod = 64;
  int period = kPeriod;       ///< shorter where ρ^64 would leave the range of a double
  int phase = 0;              ///< j
  double power[kPeriod + 1];  ///< ρ^j
  double pull[kPeriod];       ///< ρ^{−j}
  double leave[kPeriod];      ///< ρ^{m−j}
  double matured = 0;         ///< ρ^{m+1}, 0 when uncensored
  double* scaled = nullptr;   ///< w
  const model::Geometric* law = nullptr;

  void declare(Rows& rows, const Books& books) { rows(scaled, books.cells()); }
  void fill(const Setup& setup, const Books& books);

  [[nodiscard, gnu::always_inline]] Denominator denominator(const Books& books) const {
    return {Denominator::Kind::recursion, books.pulls, books.matured, scaled, matured, power[phase]};
  }

  /// One round older: the deficits are rescaled when their period ends.
  template <class Arch>
  void follow(const Books& books, double*, double*, std::int64_t) {
    using D = Doubles<Arch>;
    if (++phase < period) return;
    const D factor(power[period]);
    for (std::size_t cell = 0; cell < books.cells(); cell += D::size) {
      (D::load_aligned(scaled + cell) * factor).store_aligned(scaled + cell);
    }
    phase = 0;
  }
};

inline void Deficit::fill(const Setup& setup, const Books&) {
  const model::Window& window = setup.experiment.window;
  // ln ρ; when every delay is 0 it is −∞ and not asked for. Not by way of ρ, whose distance from 1 would be rounded: ρ^m would lose
  // log10(m) digits, and a delay of a long law a whole round.
  const DoubleDouble rho_log = law->mean == 0 ? DoubleDouble(0) : -log1p(DoubleDouble(1) / law->mean);
  const auto to_the = [&](std::int64_t exponent) {
    return exponent == 0 ? 1.0 : law->mean == 0 ? 0.0 : static_cast<double>(exp(rho_log * DoubleDouble::of(exponent)));
  };
  while (period > 1 && to_the(period) < 1e-100) period /= 2;
  for (int j = 0; j <= period; ++j) power[j] = to_the(j);
  for (int j = 0; j < period; ++j) {
    pull[j] = to_the(-j);
    leave[j] = window ? to_the(*window - j) : 0;
  }
  matured = window ? to_the(*window + 1) : 0;
}

}  // namespace dbandit::kernel
