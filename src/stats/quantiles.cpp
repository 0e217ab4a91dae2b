#include "dbandit/stats/quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

namespace dbandit::stats {

namespace {

/// Mantissa bits below a bin: 52 − 10. For positive doubles the order of the representations is the order of the values,
/// so bins are intervals in increasing order.
constexpr unsigned kDropped = 42;

/// Rounding can leave a sum of differences a hair below zero: that is a zero.
constexpr double kHair = 1e-9;

std::int32_t bin_of(double value) {
  assert(std::isfinite(value));
  if (value < -kHair) return -bin_of(-value);
  return value > 0 ? static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value) >> kDropped) : 0;
}

/// Bin 0 holds zero and what is below 2^-1032: its centre is zero.
double centre_of(std::int32_t bin) {
  if (bin < 0) return -centre_of(-bin);
  return bin == 0 ? 0 : std::bit_cast<double>(static_cast<std::uint64_t>(bin) << kDropped | std::uint64_t{1} << (kDropped - 1));
}

/// How many values wait before they are counted.
constexpr std::size_t kMany = 4096;

}  // namespace

/// For the next values to wait: never more than kMany, in storage of a power of two.
void Quantiles::make_room(std::size_t values) {
  if (waiting_.size() + values > kMany) count_the_waiting();
  if (const std::size_t needed = std::bit_ceil(waiting_.size() + values); needed > waiting_.capacity()) waiting_.reserve(needed);
}

void Quantiles::add(std::span<const double> values) {
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t now = std::min(values.size() - done, kMany);
    make_room(now);
    for (const double value : values.subspan(done, now)) waiting_.push_back(bin_of(value));
    done += now;
  }
}

void Quantiles::add(std::int32_t bin, std::uint64_t count) {
  constexpr std::uint64_t few = 8;  // a block from another process stays as cheap to merge as one of ours
  if (count > few) {
    counter(bin) += count;
    return;
  }
  make_room(count);
  waiting_.insert(waiting_.end(), count, bin);
}

void Quantiles::merge(const Quantiles& other) {
  make_room(other.waiting_.size());
  waiting_.insert(waiting_.end(), other.waiting_.begin(), other.waiting_.end());
  for (const auto& [octave, counts] : other.octaves_) {
    auto& ours = octaves_[octave];
    for (std::size_t i = 0; i < counts.size(); ++i) ours[i] += counts[i];
  }
}

double Quantiles::bytes(double values, std::size_t octaves) {
  constexpr double many = kMany;
  const auto waiting = static_cast<double>(std::bit_ceil(static_cast<std::size_t>(std::min(values, many))));
  const double counted = values > many ? static_cast<double>(octaves) : 0;
  constexpr std::size_t node = sizeof(decltype(octaves_)::value_type) + 6 * sizeof(void*);  // its links, and the allocator's
  return sizeof(Quantiles) + waiting * sizeof(std::uint32_t) + counted * node;
}

double Quantiles::centre(std::int32_t bin) { return centre_of(bin); }

void Quantiles::clear() {
  waiting_.clear();
  octaves_.clear();
}

void Quantiles::count_the_waiting() {
  for (const std::int32_t bin : waiting_) ++counter(bin);
  waiting_.clear();
}

std::map<std::int32_t, std::uint64_t> Quantiles::bins() const {
  std::map<std::int32_t, std::uint64_t> bins;
  for (const auto& [octave, counts] : octaves_) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) bins.emplace_hint(bins.end(), octave * 1024 + static_cast<std::int32_t>(i), counts[i]);
    }
  }
  for (const std::int32_t bin : waiting_) ++bins[bin];
  return bins;
}

double Quantiles::quantile(double q) const {
  Quantiles counted = *this;
  counted.count_the_waiting();
  std::uint64_t total = 0;
  for (const auto& [octave, counts] : counted.octaves_) total = std::accumulate(counts.begin(), counts.end(), total);
  if (total == 0) return 0;
  const double rank = std::clamp(std::ceil(q * static_cast<double>(total)), 1.0, static_cast<double>(total));
  std::uint64_t up_to_here = 0;
  for (const auto& [octave, counts] : counted.octaves_) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      up_to_here += counts[i];
      if (static_cast<double>(up_to_here) >= rank) return centre_of(octave * 1024 + static_cast<std::int32_t>(i));
    }
  }
  return 0;  // not reached: the rank is at most the total
}

}  // namespace dbandit::stats
