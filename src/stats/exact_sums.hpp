#pragma once

#include <cstdint>
#include <span>

#include "core/int128.hpp"
#include "dbandit/stats/moments.hpp"

namespace dbandit::stats {

/// The multiples of 2^-bits to which recorded values are rounded, each once. From there on all sums are of integers, hence exact, and no
/// order of addition can change them.
struct Grid {
  int bits = 0;

  /// The finest grid on which values from −most to most, and differences of two of them, are integers of 62 bits and a sign: 2^-31 for
  /// 10^9.
  static Grid up_to(std::int64_t most);
  [[nodiscard]] std::int64_t round(double value) const;
};

/// Count, sum and sum of squares of values on a grid, as integers. A value is below 2^61 on the grid, a difference of two below 2^62, one
/// of two differences below 2^63; of fewer than 2^63 values Σx then stays below 2^126 and Σx² below 2^189, so no sum can overflow.
struct ExactSums {
  std::uint64_t count = 0;
  Int128 sum = 0;
  Uint128 squares = 0;              ///< Σx² modulo 2^128
  std::uint64_t squares_above = 0;  ///< and what is above it

  void add(std::span<const double> row, Grid grid);
  /// Of a − b, lane by lane: the difference of the two as each is rounded.
  void add_difference(std::span<const double> a, std::span<const double> b, Grid grid);
  /// Of (a_to − a_from) − (b_to − b_from), lane by lane, each of the four as it is rounded.
  void add_growth_difference(std::span<const double> a_from, std::span<const double> a_to, std::span<const double> b_from,
                             std::span<const double> b_to, Grid grid);
  void merge(const ExactSums& other);
  /// Mean and variance, each the double nearest to its exact value.
  [[nodiscard]] Moments moments(Grid grid) const;

  friend bool operator==(const ExactSums&, const ExactSums&) = default;

 private:
  void add(std::int64_t value);
};

}  // namespace dbandit::stats
