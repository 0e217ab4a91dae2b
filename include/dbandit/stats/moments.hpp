#pragma once

#include <span>

namespace dbandit::stats {

/// Count, mean and variance of a sample.
struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;  ///< Σ (x − mean)² / (count − 1); 0 for fewer than two

  [[nodiscard]] double standard_error() const;  ///< sqrt(variance / count)
};

/// Of a sample that is at hand as a whole.
Moments moments(std::span<const double> sample);

/// Half-width of the interval of the mean that misses with probability alpha: the Student quantile for count − 1 degrees of
/// freedom times the error. Infinite for fewer than two values, which say nothing about their spread.
double half_width(const Moments& moments, double alpha);
inline double half_width_95(const Moments& moments) { return half_width(moments, 0.05); }

}  // namespace dbandit::stats
