#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace dbandit {

/// Pearson's χ² of counts against their expectations, in standard deviations of its law: (χ² − f)/sqrt(2 f), f = cells − 1.
inline double chi_square_z(std::span<const double> counts, std::span<const double> expected) {
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) chi_square += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  const double freedom = static_cast<double>(counts.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

}  // namespace dbandit
