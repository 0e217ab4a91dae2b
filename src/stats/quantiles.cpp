#include "dbandit/stats/quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace dbandit::stats {

namespace {

/// Mantissa bits below a bin: 52 − 10. For positive doubles the order of the representations is the order of the values,
/// so bins are intervals in increasing order.
constexpr unsigned kDropped = 42;

/// Rounding can leave a sum of differences a hair below zero: that is a zero.
std::uint32_t bin_of(double value) {
  assert(std::isfinite(value));
  return value > 0 ? static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> kDropped) : 0;
}

/// Bin 0 holds zero and what is below 2^-1032: its centre is zero.
double centre_of(std::uint32_t bin) {
  return bin == 0 ? 0 : std::bit_cast<double>(std::uint64_t{bin} << kDropped | std::uint64_t{1} << (kDropped - 1));
}

}  // namespace

void Quantiles::add(std::span<const double> values) {
  for (const double value : values) ++bins_[bin_of(value)];
}

void Quantiles::add(std::uint32_t bin, std::uint64_t count) { bins_[bin] += count; }

void Quantiles::merge(const Quantiles& other) {
  for (const auto& [bin, count] : other.bins_) bins_[bin] += count;
}

double Quantiles::quantile(double q) const {
  std::uint64_t total = 0;
  for (const auto& [bin, count] : bins_) total += count;
  if (total == 0) return 0;
  const double rank = std::clamp(std::ceil(q * static_cast<double>(total)), 1.0, static_cast<double>(total));
  std::uint64_t up_to_here = 0;
  for (const auto& [bin, count] : bins_) {
    up_to_here += count;
    if (static_cast<double>(up_to_here) >= rank) return centre_of(bin);
  }
  return centre_of(bins_.rbegin()->first);
}

}  // namespace dbandit::stats
