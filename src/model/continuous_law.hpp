#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/double_double.hpp"

namespace dbandit::model {

/// The law of ⌊X⌋ for a continuous X ≥ 0, as a row: P(⌊X⌋ > d) = P(X ≥ d + 1). To add a law: a file in laws/ that defines its row, and the
/// row's name in continuous_laws.cpp. Twice a double's digits throughout: the same bytes on every processor, and rounding to a double at
/// the end keeps survivals in falling order.
struct ContinuousLaw {
  struct Parameter {
    std::string_view name;  ///< "shape"
    double low, high;
  };
  /// Of the two parameters and a third number.
  using Function = DoubleDouble (*)(const DoubleDouble&, const DoubleDouble&, const DoubleDouble&);

  std::string_view name;  ///< "weibull"
  std::array<Parameter, 2> parameters;
  std::string_view example;  ///< of the parameters: "0.7,400"
  std::string_view summary;
  Function survival;  ///< P(X ≥ x)
  Function cdf;       ///< P(X < x), without cancellation
  Function beyond;    ///< ∫_n^∞ P(X ≥ x) dx; infinite where the mean is
};

/// All of them, in the order in which `dbandit list delays` shows them.
std::span<const ContinuousLaw* const> continuous_laws();

}  // namespace dbandit::model
