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

/// Final regret of a minus that of b in the same worlds.
Interval lag(const sim::Result& result, std::string_view a, std::string_view b);
/// The same as a share of b's regret. The error of the denominator is added to that of the difference: no interval is too
/// narrow for want of their correlation.
Interval relative_lag(const sim::Result& result, std::string_view a, std::string_view b);

/// (L(to) − L(from)) / ln(to/from): growth per ln t. The two ends of a path go together, so treating them as independent makes
/// the interval too wide, not too narrow.
Interval growth(const sim::Result& result, std::string_view policy, std::int64_t from, std::int64_t to);

/// Difference and ratio of independent or unlike numbers: half-widths add, in squares or as they are.
Interval difference(const Interval& a, const Interval& b);
Interval ratio(const Interval& a, const Interval& b);

/// "1.72 [1.70, 1.74]", both to the digits that the interval bears; a computed number to five.
std::string text(const Interval& interval, std::string_view unit = {});

}  // namespace dbandit::study
