#pragma once

#include "kernel/policy/sampling.hpp"

/// Thompson sampling on matured pulls: a pull as old as the window has shown its conversion or never will, so the share of those that did,
/// τ_m θ, has the posterior Beta(a + Z, b + M − Z), exactly. A sample of it is X/(X + Y), X and Y the Gamma variates of scale 1 and shapes
/// a + Z and b + M − Z at two uniforms (rng::beta_at); over τ_m it is one of θ. As in sampling.hpp the vectors compare estimates, and where
/// these do not tell, the exact samples decide.
namespace dbandit::kernel {

struct BetaSampling : Sampling {
  Variates failures;           ///< of the shapes b + M − Z
  double* unseen = nullptr;    ///< [cell] M − Z that `failures` has
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
    using F = Singles<Arch>;
    if (play_in_order<Arch>(books, round, start_rounds)) return;
    draw_keys<Arch>(books, rng::Stream::policy, 0, round, gammas.keys, stride);
    draw_keys<Arch>(books, rng::Stream::policy, rng::kSecondVariate, round, failures.keys, stride);
    const F most(static_cast<float>(rng::QuantileFit::kMost));
    largest_sample<Arch>(books, ties, stride, gammas.row, winners, [&](std::size_t at, std::size_t arm) {
      const F z = normal_estimate<Arch>(gammas.keys + at), least = F::load_aligned(gammas.leasts + at);
      const F z_other = normal_estimate<Arch>(failures.keys + at), least_other = F::load_aligned(failures.leasts + at);
      const F x = quantile_estimate<Arch>(z, least, gammas.terms + at, gammas.row) * F::load_aligned(gammas.shapes + at);
      const F y = quantile_estimate<Arch>(z_other, least_other, failures.terms + at, failures.row) * F::load_aligned(failures.shapes + at);
      const F sample = x / (x + y) * F(static_cast<float>(over_tau[arm]));
      // X/(X + Y) is off by no more, relatively, than X and Y together; what three more roundings lose is a tenth of that.
      const F error = (F::load_aligned(gammas.errors + at) + F::load_aligned(failures.errors + at)) * F(1.1f);
      sample.store_aligned(estimates + at);
      // An upper bound of Y is none of the sample.
      return Estimate<Arch>{sample, error, z < least, (z > most) | (z_other > most) | (z_other < least_other) | (error >= F(1.0f))};
    });
  }
  std::size_t resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const;
  /// After the disclosures: pulls have matured without a conversion.
  void observe(const Books& books, const World&, std::int64_t round) const;
};

}  // namespace dbandit::kernel
