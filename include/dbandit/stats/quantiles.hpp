#pragma once

#include <cstdint>
#include <map>
#include <span>

namespace dbandit::stats {

/// Histogram of non-negative values in bins of equal relative width: a value's bin is its leading bits (exponent and ten of
/// the mantissa), so a quantile is within 0.05 % of an order statistic, memory does not grow with the sample, and merging is
/// integer addition: the same in any order. Zero and the rounding noise below it are a bin of their own.
class Quantiles {
 public:
  void add(std::span<const double> values);
  /// `count` values of one bin.
  void add(std::uint32_t bin, std::uint64_t count);
  void merge(const Quantiles& other);
  /// The centre of the bin that holds the order statistic ⌈q n⌉; 0 when empty.
  [[nodiscard]] double quantile(double q) const;
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& bins() const { return bins_; }

 private:
  std::map<std::uint32_t, std::uint64_t> bins_;
};

}  // namespace dbandit::stats
