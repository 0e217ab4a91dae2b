#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dbandit/sim/result.hpp"

/// Measured numbers with what is known about them.
namespace dbandit::study {

/// A value and its 95 % interval; both ends are the value when it was computed and not sampled.
struct Interval {
  double value = 0, low = 0, high = 0;
};

constexpr Interval exactly(double value) { return {value, value, value}; }
Interval interval_of(const stats::Moments& moments);
Interval centred(double value, double half);
/// Share of successes, with Wilson's interval, which is right for rare ones too.
Interval proportion(double successes, double trials);
Interval scaled(const Interval& interval, double factor);

/// Numbers of a finished run. Policies and rounds must be among the spec's; a round that was not recorded is a broken table.
const stats::Moments& moments_at(const sim::Result& result, std::string_view policy, std::string_view measure, std::int64_t round);
Interval at(const sim::Result& result, std::string_view policy, std::string_view measure, std::int64_t round);

/// Regret of a minus that of b in the same worlds, at T or at another of sim::compared_records.
Interval lag(const sim::Result& result, std::string_view a, std::string_view b);
Interval lag_at(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t round);
/// Regret of a over that of b in the same worlds: the interval allows for their correlation (delta method).
Interval paired_ratio(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t round);
/// The same at T, less 1: what a has beyond b, as a share of b's.
Interval relative_lag(const sim::Result& result, std::string_view a, std::string_view b);

/// (L(to) − L(from)) / ln(to/from): growth per ln t, of every replica, averaged. `from` and `to` are neighbours in sim::compared_records.
Interval growth(const sim::Result& result, std::string_view policy, std::int64_t from, std::int64_t to);
/// Growth of a minus growth of b, and growth of a over growth of b, in the same worlds.
Interval growth_lag(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t from, std::int64_t to);
Interval growth_ratio(const sim::Result& result, std::string_view a, std::string_view b, std::int64_t from, std::int64_t to);
/// Within the replica, at T: pseudo-regret, or realised regret, minus regret.
Interval unseen(const sim::Result& result, std::string_view policy);
Interval luck(const sim::Result& result, std::string_view policy);

/// Difference and ratio of numbers whose correlation is not known, as of different runs: half-widths add as they are, which covers
/// whatever it is.
Interval difference(const Interval& a, const Interval& b);
Interval ratio(const Interval& a, const Interval& b);

/// "1.72 [1.70, 1.74]", both to the digits that the interval bears; a computed number to five.
std::string text(const Interval& interval, std::string_view unit = {});

}  // namespace dbandit::study
