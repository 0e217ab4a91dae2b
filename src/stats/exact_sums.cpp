#include "stats/exact_sums.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>

namespace dbandit::stats {

namespace {

/// An unsigned integer of 256 bits, the lowest limb first.
using Wide = std::array<std::uint64_t, 4>;

Wide wide(Uint128 low, std::uint64_t above = 0) {
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64), above, 0};
}

/// Modulo 2^256.
Wide product(const Wide& a, const Wide& b) {
  Wide result{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < b.size(); ++j) {
      const Uint128 term = Uint128{a[i]} * b[j] + result[i + j] + carry;
      result[i + j] = static_cast<std::uint64_t>(term);
      carry = static_cast<std::uint64_t>(term >> 64);
    }
  }
  return result;
}

/// a − b for a ≥ b.
Wide difference(const Wide& a, const Wide& b) {
  Wide result{};
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Uint128 term = Uint128{a[i]} - b[i] - borrow;
    result[i] = static_cast<std::uint64_t>(term);
    borrow = static_cast<std::uint64_t>(term >> 64) & 1;
  }
  assert(borrow == 0);
  return result;
}

/// The double nearest to numerator / denominator · 2^exponent, the even one of two. Schoolbook division, a bit at a time, until 64
/// significant bits of the quotient are known; of the rest it is enough to know whether there is any. Denominator below 2^127, and
/// nothing near the ends of the range of a double.
double nearest_quotient(const Wide& numerator, Uint128 denominator, int exponent) {
  assert(denominator > 0 && denominator >> 127 == 0);
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  std::uint64_t quotient = 0;
  Uint128 remainder = 0;
  bool inexact = false;
  for (int bit = 255; bit >= 0 || (quotient < top && (quotient != 0 || remainder != 0)); --bit) {
    const std::uint64_t next = bit >= 0 ? numerator[static_cast<std::size_t>(bit) / 64] >> (bit % 64) & 1 : 0;
    remainder = remainder << 1 | next;
    const bool one = remainder >= denominator;
    if (one) remainder -= denominator;
    if (quotient < top) {
      quotient = quotient << 1 | static_cast<std::uint64_t>(one);
      if (bit < 0) --exponent;
    } else {
      inexact = inexact || one;
      ++exponent;
    }
  }
  inexact = inexact || remainder != 0;
  constexpr unsigned dropped = 64 - 53;
  const std::uint64_t rest = quotient % (1U << dropped), half = 1U << (dropped - 1);
  std::uint64_t kept = quotient >> dropped;
  if (rest > half || (rest == half && (inexact || kept % 2 == 1))) ++kept;
  return std::ldexp(static_cast<double>(kept), exponent + static_cast<int>(dropped));
}

Uint128 magnitude(Int128 value) { return value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value); }

}  // namespace

Grid Grid::up_to(std::int64_t most) {
  assert(most >= 0 && most < std::int64_t{1} << 60);
  return {61 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)))};
}

std::int64_t Grid::round(double value) const {
  const double scaled = value * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + bits) << 52);  // a power of two: exact
  assert(std::abs(scaled) < 0x1p62);
  return std::llrint(scaled);
}

void ExactSums::add(std::int64_t value) {
  const auto square = static_cast<Uint128>(Int128{value} * value);
  sum += value;
  squares += square;
  squares_above += static_cast<std::uint64_t>(squares < square);
  ++count;
}

void ExactSums::add(std::span<const double> row, Grid grid) {
  for (const double value : row) add(grid.round(value));
}

void ExactSums::add_difference(std::span<const double> a, std::span<const double> b, Grid grid) {
  assert(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) add(grid.round(a[i]) - grid.round(b[i]));
}

void ExactSums::add_growth_difference(std::span<const double> a_from, std::span<const double> a_to, std::span<const double> b_from,
                                      std::span<const double> b_to, Grid grid) {
  assert(a_from.size() == a_to.size() && a_to.size() == b_from.size() && b_from.size() == b_to.size());
  for (std::size_t i = 0; i < a_from.size(); ++i) {
    add((grid.round(a_to[i]) - grid.round(a_from[i])) - (grid.round(b_to[i]) - grid.round(b_from[i])));
  }
}

void ExactSums::merge(const ExactSums& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  squares_above += other.squares_above + static_cast<std::uint64_t>(squares < other.squares);
}

Moments ExactSums::moments(Grid grid) const {
  if (count == 0) return {};
  const double mean = nearest_quotient(wide(magnitude(sum)), count, -grid.bits);
  Moments result{static_cast<double>(count), sum < 0 ? -mean : mean, 0};
  if (count < 2) return result;
  // Σ(x − mean)² = Σx² − (Σx)²/n, over n − 1: no cancellation, the integers are exact.
  const Wide spread = difference(product(wide(squares, squares_above), wide(count)), product(wide(magnitude(sum)), wide(magnitude(sum))));
  result.variance = nearest_quotient(spread, Uint128{count} * (count - 1), -2 * grid.bits);
  return result;
}

}  // namespace dbandit::stats
