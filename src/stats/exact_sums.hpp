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

/// Count, sum and sum of squares of values on a grid, as integers. With |x| < 2^62 on the grid and fewer than 2^64 values no sum can
/// overflow: Σx stays below 2^126, Σx² below 2^188.
struct ExactSums {
  std::uint64_t count = 0;
  Int128 sum = 0;
  Uint128 squares = 0;              ///< Σx² modulo 2^128
  std::uint64_t squares_above = 0;  ///< and what is above it

  void add(std::span<const double> row, Grid grid);
  /// Of a − b, lane by lane: the difference of the two as each is rounded.
  void add_difference(std::span<const double> a, std::span<const double> b, Grid grid);
  void merge(const ExactSums& other);
  /// Mean and variance, each the double nearest to its exact value.
  [[nodiscard]] Moments moments(Grid grid) const;

  friend bool operator==(const ExactSums&, const ExactSums&) = default;

 private:
  void add(std::int64_t value);
};

}  // namespace dbandit::stats
