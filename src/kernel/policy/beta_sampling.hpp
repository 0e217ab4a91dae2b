#pragma once

#include "kernel/policy/sampling.hpp"

/// Thompson sampling on matured pulls: a pull as old as the window has shown its conversion or never will, so the share of those that did,
/// τ_m θ, has the posterior Beta(a + Z, b + M − Z), exactly. A sample of it is X/(X + Y), X and Y the Gamma variates of scale 1 and shapes
/// a + Z and b + M − Z at two uniforms (rng::beta_at); over τ_m it is one of θ. As in sampling.hpp the vectors compare estimates, and where
/// these do not tell, the exact samples decide.
namespace dbandit::kernel {

struct BetaSampling : Sampling {
  Variates failures;           ///< of the shapes b + M − Z; their fits are kept below kExpanded only
  double* fitted = nullptr;    ///< [cell] M − Z of the fit that `failures` has
  double* over_tau = nullptr;  ///< [arm] 1/τ_m, or 1 where all arms have the same or nothing is seen
  std::int64_t start_rounds = 0;

  [[nodiscard]] static bool takes(const model::Experiment& experiment) {
    return experiment.rule.index == model::IndexForm::thompson && experiment.rule.statistic == model::Statistic::matured;
  }
  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  template <class Arch>
  void choose(const Books& books, const Exposure&, Ties& ties, std::int64_t round) const {
    using D = Doubles<Arch>;
    using F = Singles<Arch>;
    if (play_in_order<Arch>(books, round, start_rounds)) return;
    draw_keys<Arch>(books, rng::Stream::policy, 0, round, gammas.keys, stride);
    draw_keys<Arch>(books, rng::Stream::policy, rng::kSecondVariate, round, failures.keys, stride);
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
        const std::size_t cell = arm * books.lanes + lane;
        const D failed = D::load_aligned(books.matured + cell) - D::load_aligned(books.conversions + cell);
        store_singles<Arch>(failed + D(failures.first), failures.shapes + arm * stride + lane);
      }
    }
    const F most(static_cast<float>(rng::QuantileFit::kMost)), small(kExpanded);
    largest_sample<Arch>(books, ties, stride, gammas.row, winners, [&](std::size_t at, std::size_t arm) {
      const F z = normal_estimate<Arch>(gammas.keys + at), least = F::load_aligned(gammas.leasts + at);
      const F x = quantile_estimate<Arch>(z, least, gammas.terms + at, gammas.row) * F::load_aligned(gammas.shapes + at);
      const F shape = F::load_aligned(failures.shapes + at), s = F(1.0f) / xsimd::sqrt(shape),
              z_other = normal_estimate<Arch>(failures.keys + at);
      F y = expanded_quantile<Arch>(z_other, s), error_other = expanded_error<Arch>(s), least_other = F(0.0f) - most;
      const auto few = shape < small;
      if (const unsigned found = bits<Arch>(few); found != 0) {
        fit(books, at, found);
        least_other = xsimd::select(few, F::load_aligned(failures.leasts + at), least_other);
        y = xsimd::select(few, quantile_estimate<Arch>(xsimd::min(z_other, most), least_other, failures.terms + at, failures.row), y);
        error_other = xsimd::select(few, F::load_aligned(failures.errors + at), error_other);
      }
      least_other.store_aligned(failures.leasts + at);
      error_other.store_aligned(failures.errors + at);
      const F sample = x / multiply_add<Arch>(y, shape, x) * F(static_cast<float>(over_tau[arm]));
      // X/(X + Y) is off by no more, relatively, than X and Y together; what three more roundings lose is a tenth of that.
      const F error = (F::load_aligned(gammas.errors + at) + error_other) * F(1.1f);
      sample.store_aligned(estimates + at);
      // An upper bound of X, or a lower one of Y, is an upper bound of the sample; an upper bound of Y is none.
      return Estimate<Arch>{sample, error, (z < least) | (z_other > most), (z > most) | (z_other < least_other) | (error >= F(1.0f))};
    });
  }
  std::size_t resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const;

 private:
  /// The fits of those lanes of the vector that begins at `at` whose bits are set.
  void fit(const Books& books, std::size_t at, unsigned lanes) const;
};

}  // namespace dbandit::kernel
