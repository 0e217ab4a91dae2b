#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace dbandit::stats {

/// Histogram of values in bins of equal relative width: a value's bin is its leading bits (exponent and ten of the mantissa), that of a
/// negative one the negated bin of its opposite, so a quantile is within 0.05 % of an order statistic, memory does not grow with the
/// sample, and merging is integer addition: the same in any order. Zero and the rounding noise below it are a bin of their own.
///
/// The first few thousand values are kept as they come, which is all that a block of replicas ever has; then each power of
/// two that occurs gets its 1024 counters, so that a value costs nanoseconds and not a search.
class Quantiles {
 public:
  void add(std::span<const double> values);
  /// `count` values of one bin.
  void add(std::int32_t bin, std::uint64_t count);
  void merge(const Quantiles& other);
  /// As good as new, but keeps its storage.
  void clear();
  /// The centre of the bin that holds the order statistic ⌈q n⌉; 0 when empty.
  [[nodiscard]] double quantile(double q) const;
  /// What is in each bin that holds anything.
  [[nodiscard]] std::map<std::int32_t, std::uint64_t> bins() const;
  /// The value in the middle of a bin.
  [[nodiscard]] static double centre(std::int32_t bin);
  /// What one takes at most that holds so many values from so many powers of two.
  static double bytes(double values, std::size_t octaves);

 private:
  void make_room(std::size_t values);
  void count_the_waiting();
  std::uint64_t& counter(std::int32_t bin) { return octaves_[bin >> 10][static_cast<std::size_t>(bin & 1023)]; }

  std::vector<std::int32_t> waiting_;                                ///< bins of values not yet counted, in any order
  std::map<std::int32_t, std::array<std::uint64_t, 1024>> octaves_;  ///< by the leading bits of the bin, then by its last ten
};

}  // namespace dbandit::stats
