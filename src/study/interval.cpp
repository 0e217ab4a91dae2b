#include "study/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/sums.hpp"

namespace dbandit::study {
namespace {

std::size_t index_of(const sim::Result& result, std::string_view policy) {
  const auto found = std::ranges::find(result.spec->policies, policy, &sim::Policy::id);
  assert(found != result.spec->policies.end());
  return static_cast<std::size_t>(found - result.spec->policies.begin());
}

double half_width(const Interval& interval) { return (interval.high - interval.low) / 2; }

}  // namespace

Interval centred(double value, double half) { return {value, value - half, value + half}; }

Interval interval_of(const stats::Moments& moments) { return centred(moments.mean, stats::half_width_95(moments)); }

Interval proportion(double successes, double trials) {
  constexpr double z = 1.959964;
  const double share = successes / trials, spread = z * z / trials;
  const double centre = (share + spread / 2) / (1 + spread);
  const double half = z / (1 + spread) * std::sqrt(share * (1 - share) / trials + spread / (4 * trials));
  return {share, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Interval scaled(const Interval& interval, double factor) {
  const double a = interval.low * factor, b = interval.high * factor;
  return {interval.value * factor, std::min(a, b), std::max(a, b)};
}

const stats::Moments& moments_at(const sim::Result& result, std::string_view policy, std::string_view measure, std::int64_t round) {
  const auto record = std::ranges::find(result.spec->at, round);
  const auto* known = std::ranges::find(sim::kMeasures, measure, &sim::Measure::name);
  assert(record != result.spec->at.end() && known != sim::kMeasures.end());
  return (result.stats.policies[index_of(result, policy)].*known->curve)[static_cast<std::size_t>(record - result.spec->at.begin())];
}

Interval at(const sim::Result& result, std::string_view policy, std::string_view measure, std::int64_t round) {
  return interval_of(moments_at(result, policy, measure, round));
}

Interval lag(const sim::Result& result, std::string_view a, std::string_view b) {
  const std::size_t i = index_of(result, a), j = index_of(result, b);
  const stats::Moments& pair = result.stats.paired[sim::pair_index(std::min(i, j), std::max(i, j), result.spec->policies.size())];
  return centred(i < j ? pair.mean : -pair.mean, stats::half_width_95(pair));
}

Interval relative_lag(const sim::Result& result, std::string_view a, std::string_view b) {
  const Interval difference = lag(result, a, b), base = at(result, b, "regret", result.spec->horizon);
  const double share = difference.value / base.value;
  return centred(share, (half_width(difference) + std::abs(share) * half_width(base)) / base.value);
}

Interval growth(const sim::Result& result, std::string_view policy, std::int64_t from, std::int64_t to) {
  const double ln = std::log(static_cast<double>(to) / static_cast<double>(from));
  return scaled(difference(at(result, policy, "regret", to), at(result, policy, "regret", from)), 1 / ln);
}

Interval difference(const Interval& a, const Interval& b) { return centred(a.value - b.value, std::hypot(half_width(a), half_width(b))); }

Interval ratio(const Interval& a, const Interval& b) {
  const double value = a.value / b.value;
  return centred(value, std::abs(value) * (half_width(a) / std::abs(a.value) + half_width(b) / std::abs(b.value)));
}

std::string text(const Interval& interval, std::string_view unit) {
  const double half = half_width(interval);
  if (!(half > 0)) return fmt::format("{:.5g}{}", interval.value, unit);
  const int digits = std::isfinite(half) ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 8) : 3;
  return fmt::format("{0:.{3}f}{4} [{1:.{3}f}, {2:.{3}f}]", interval.value, interval.low, interval.high, digits, unit);
}

}  // namespace dbandit::study
