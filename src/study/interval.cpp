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

double decades_ln(std::int64_t from, std::int64_t to) { return std::log(static_cast<double>(to) / static_cast<double>(from)); }

std::size_t pair_of(const sim::Result& result, std::size_t i, std::size_t j) {
  return sim::pair_index(std::min(i, j), std::max(i, j), result.spec->policies.size());
}

/// Where a round stands among the compared records.
std::size_t compared_place(const sim::Result& result, std::int64_t round) {
  const std::vector<std::size_t> compared = sim::compared_records(result.spec->at);
  const auto found = std::ranges::find(compared, round, [&](std::size_t record) { return result.spec->at[record]; });
  assert(found != compared.end());
  return static_cast<std::size_t>(found - compared.begin());
}

/// The place of the stretch between two neighbours.
std::size_t stretch(const sim::Result& result, std::int64_t from, std::int64_t to) {
  const std::size_t place = compared_place(result, from);
  assert(compared_place(result, to) == place + 1);
  static_cast<void>(to);
  return place;
}

const stats::Moments& paired_at(const sim::Result& result, std::size_t i, std::size_t j, std::size_t place) {
  return result.stats.paired_at[pair_of(result, i, j) * sim::compared_records(result.spec->at).size() + place];
}

const stats::Moments& paired_growth(const sim::Result& result, std::size_t i, std::size_t j, std::size_t place) {
  return result.stats.paired_growth[pair_of(result, i, j) * (sim::compared_records(result.spec->at).size() - 1) + place];
}

Interval signed_by(bool as_stored, const stats::Moments& pair) {
  return centred(as_stored ? pair.mean : -pair.mean, stats::half_width_95(pair));
}

/// Delta method: the variance of A/B is that of A − (A/B)·B over B², and the covariance follows from the variance of the difference.
Interval ratio_of(const stats::Moments& a, const stats::Moments& b, const stats::Moments& difference) {
  const double over = a.mean / b.mean, covariance = (a.variance + b.variance - difference.variance) / 2;
  const double variance = std::max(0.0, a.variance - 2 * over * covariance + over * over * b.variance);
  return centred(over, stats::half_width_95({a.count, over, variance}) / std::abs(b.mean));
}

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
  return signed_by(i < j, result.stats.paired[pair_of(result, i, j)]);
}

Interval lag_at(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t round) {
  const std::size_t i = index_of(result, a), j = index_of(result, b);
  return signed_by(i < j, paired_at(result, i, j, compared_place(result, round)));
}

Interval paired_ratio(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t round) {
  const std::size_t i = index_of(result, a), j = index_of(result, b);
  return ratio_of(
      moments_at(result, a, "regret", round), moments_at(result, b, "regret", round),
      round == result.spec->horizon ? result.stats.paired[pair_of(result, i, j)] : paired_at(result, i, j, compared_place(result, round)));
}

Interval relative_lag(const sim::Result& result, std::string_view a, std::string_view b) {
  const Interval over = paired_ratio(result, a, b, result.spec->horizon);
  return {over.value - 1, over.low - 1, over.high - 1};
}

Interval growth(const sim::Result& result, std::string_view policy, std::int64_t from, std::int64_t to) {
  return scaled(interval_of(result.stats.policies[index_of(result, policy)].growth[stretch(result, from, to)]), 1 / decades_ln(from, to));
}

Interval growth_lag(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t from, std::int64_t to) {
  const std::size_t i = index_of(result, a), j = index_of(result, b);
  return scaled(signed_by(i < j, paired_growth(result, i, j, stretch(result, from, to))), 1 / decades_ln(from, to));
}

Interval growth_ratio(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t from, std::int64_t to) {
  const std::size_t i = index_of(result, a), j = index_of(result, b), place = stretch(result, from, to);
  return ratio_of(result.stats.policies[i].growth[place], result.stats.policies[j].growth[place], paired_growth(result, i, j, place));
}

Interval unseen(const sim::Result& result, std::string_view policy) {
  return interval_of(result.stats.policies[index_of(result, policy)].gaps[0]);
}

Interval luck(const sim::Result& result, std::string_view policy) {
  return interval_of(result.stats.policies[index_of(result, policy)].gaps[1]);
}

Interval difference(const Interval& a, const Interval& b) { return centred(a.value - b.value, half_width(a) + half_width(b)); }

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
