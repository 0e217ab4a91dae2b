#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/exposure/deficit.hpp"
#include "model/geometric_fit.hpp"

namespace dbandit::kernel {

/// A sum of geometric laws, or the fit of another law by one: V_kj ← ρ_j(V_kj + w_j 1{k=a}) − w_j ρ_j^{m+1} 1{k=b},
/// Ñ = N − Σ_j V_kj − (1−τ_m) M (§7, for each part), with the V scaled as in Deficit.
struct Parts {
  /// One part at a phase of its period, the part's weight included.
  struct Coefficients {
    double pull;   ///< w ρ^{−j}
    double leave;  ///< w ρ^{m−j}; 0 when uncensored
    double power;  ///< ρ^{j+1}: what the deficits count for after the round
  };

  std::size_t count = 0;  ///< parts of an arm
  std::size_t laws = 1;   ///< one for all arms, or one for each
  int period = Deficit::kPeriod;
  int phase = 0;
  Coefficients* coefficients = nullptr;  ///< [phase][law][part]
  double* renewal = nullptr;             ///< [law][part] ρ^period
  double* window_survival = nullptr;     ///< [arm] 1 − τ_m; 0 when uncensored
  double* scaled = nullptr;              ///< [arm][part][lane]

  void size(const Setup& setup);
  /// Of what the fits are kept in, and made with.
  [[nodiscard]] double fit_bytes(const model::Experiment& e) const {
    double kept = 0, made_with = 0;
    for (const model::DelayLaw& law : e.believed().laws) {
      kept += static_cast<double>(sizeof(model::DelayLaw) + sizeof(model::GeometricFit) + 2 * sizeof(double) + model::heap_bytes(law) +
                                  2 * count * sizeof(model::Mixture::Part));
      made_with = std::max(made_with, model::fit_bytes(law, std::min(e.window.value_or(e.horizon), e.horizon)));
    }
    return kept + made_with;
  }
  void declare(Rows& rows, const Books& books) {
    rows(coefficients, static_cast<std::size_t>(period) * laws * count);
    rows(renewal, laws * count);
    rows(window_survival, books.arms);
    rows(scaled, books.cells() * count);
  }
  void fill(const Setup& setup, const Books& books);

  template <class Arch>
  void follow(const Books& books, double* leaving, double* exposure, std::int64_t) {
    using D = Doubles<Arch>;
    const std::size_t lanes = books.lanes, stride = laws == 1 ? 0 : count;
    const Coefficients* const now = coefficients + static_cast<std::size_t>(phase) * laws * count;
    const bool renew = phase + 1 == period;
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const Coefficients* const of_arm = now + arm * stride;
      const double* const renewed = renewal + arm * stride;
      const D id(static_cast<double>(arm)), over(window_survival[arm]);
      double* const waiting = scaled + arm * count * lanes;
      for (std::size_t lane = 0; lane < lanes; lane += D::size) {
        const auto pulled = D::load_aligned(books.action + lane) == id, left = D::load_aligned(leaving + lane) == id;
        D hidden(0.0);
        for (std::size_t j = 0; j < count; ++j) {
          double* const cell = waiting + j * lanes + lane;
          const Coefficients& c = of_arm[j];
          D w = D::load_aligned(cell) + where<Arch>(pulled, D(c.pull));
          w = w - where<Arch>(left, D(c.leave));
          hidden = hidden + w * D(c.power);
          if (renew) w = w * D(renewed[j]);
          w.store_aligned(cell);
        }
        const std::size_t cell = arm * lanes + lane;
        ((D::load_aligned(books.pulls + cell) - over * D::load_aligned(books.matured + cell)) - hidden).store_aligned(exposure + cell);
      }
    }
    phase = renew ? 0 : phase + 1;
  }

 private:
  static std::shared_ptr<const model::GeometricFit> fitted(const model::Experiment& e, const model::DelayLaw& law) {
    return model::fit_geometrics(law, std::min(e.window.value_or(e.horizon), e.horizon), e.tolerance);
  }
  static DoubleDouble power(double mean, std::int64_t exponent) {
    if (exponent == 0 || mean == 0) return exponent == 0 ? 1 : 0;  // a mean of 0 has no logarithm
    return exp(-(log1p(DoubleDouble(1) / mean) * DoubleDouble::of(exponent)));
  }
};

inline void Parts::size(const Setup& setup) {
  const model::Delays& believed = setup.experiment.believed();
  laws = believed.laws.size();
  for (const model::DelayLaw& law : believed.laws) {
    const auto fit = fitted(setup.experiment, law);
    const auto& parts = fit->parts;
    count = std::max(count, parts.size());
    for (const auto& part : parts) {
      while (period > 1 && power(part.mean, period) < 1e-100) period /= 2;
    }
  }
}

/// The weights of a mixture are made to add up to 1. Laws with fewer parts have more of no weight.
inline void Parts::fill(const Setup& setup, const Books& books) {
  const model::Delays& believed = setup.experiment.believed();
  const model::Window& window = setup.experiment.window;
  for (std::size_t law = 0; law < laws; ++law) {
    const auto fit = fitted(setup.experiment, believed.laws[law]);
    const auto& parts = fit->parts;
    DoubleDouble total = 0;
    for (const auto& part : parts) total += part.weight;
    if (!std::holds_alternative<model::Mixture>(believed.laws[law])) total = 1;
    for (std::size_t j = 0; j < count; ++j) {
      const double weight = j < parts.size() ? static_cast<double>(DoubleDouble(parts[j].weight) / total) : 0,
                   mean = j < parts.size() ? parts[j].mean : 1;
      for (int at = 0; at < period; ++at) {
        const DoubleDouble leave = window ? DoubleDouble(weight) * power(mean, *window - at) : 0;
        coefficients[(static_cast<std::size_t>(at) * laws + law) * count + j] = {
            static_cast<double>(DoubleDouble(weight) * power(mean, -at)), static_cast<double>(leave),
            static_cast<double>(power(mean, at + 1))};
      }
      renewal[law * count + j] = static_cast<double>(power(mean, period));
    }
  }
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    window_survival[arm] = window ? model::survival(believed[arm], *window) : 0;
  }
}

}  // namespace dbandit::kernel
