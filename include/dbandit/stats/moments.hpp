#pragma once

#include <span>

namespace dbandit::stats {

/// Count, mean and centred second moment of a sample; two of them merge exactly as in Chan et al. (1979).
/// A merge is not associative in floating point: fold in plan order.
struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;  ///< Σ (x − mean)²

  void merge(const Moments& other);
  [[nodiscard]] double variance() const;        ///< m2 / (count − 1); 0 for fewer than two
  [[nodiscard]] double standard_error() const;  ///< sqrt(variance / count)
};

/// Moments of a row. Eight interleaved partial sums in a fixed order, whatever the SIMD width of the caller.
Moments moments(std::span<const double> row);
/// Moments of a − b, lane by lane.
Moments moments_of_difference(std::span<const double> a, std::span<const double> b);

/// Half-width of the interval of the mean that misses with probability alpha: the Student quantile for count − 1 degrees of
/// freedom times the error. Infinite for fewer than two values, which say nothing about their spread.
double half_width(const Moments& moments, double alpha);
inline double half_width_95(const Moments& moments) { return half_width(moments, 0.05); }

}  // namespace dbandit::stats
