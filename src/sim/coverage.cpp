#include "sim/coverage.hpp"

#include <algorithm>
#include <cassert>

namespace dbandit::sim {

bool Coverage::add(Interval interval) {
  if (interval.first >= interval.end) return true;
  const auto next = std::ranges::lower_bound(intervals_, interval.first, {}, &Interval::first);
  if (next != intervals_.end() && next->first < interval.end) return false;
  if (next != intervals_.begin() && std::prev(next)->end > interval.first) return false;
  const bool joins_last = next != intervals_.begin() && std::prev(next)->end == interval.first;
  const bool joins_next = next != intervals_.end() && next->first == interval.end;
  if (joins_last && joins_next) {
    std::prev(next)->end = next->end;
    intervals_.erase(next);
  } else if (joins_last) {
    std::prev(next)->end = interval.end;
  } else if (joins_next) {
    next->first = interval.first;
  } else {
    intervals_.insert(next, interval);
  }
  return true;
}

bool Coverage::merge(const Coverage& other) {
  Coverage both = *this;
  for (const Interval& interval : other.intervals_) {
    if (!both.add(interval)) return false;
  }
  *this = std::move(both);
  return true;
}

std::size_t Coverage::count() const {
  std::size_t blocks = 0;
  for (const auto& [first, end] : intervals_) blocks += end - first;
  return blocks;
}

bool Coverage::contains(Interval interval) const { return missing(interval).intervals_.empty(); }

bool Coverage::contains(const Coverage& other) const {
  return std::ranges::all_of(other.intervals_, [&](const Interval& interval) { return contains(interval); });
}

Coverage Coverage::missing(Interval within) const {
  Coverage gaps;
  std::size_t from = within.first;
  for (const auto& [first, end] : intervals_) {
    if (first >= within.end) break;
    static_cast<void>(gaps.add({from, std::min(first, within.end)}));
    from = std::max(from, end);
  }
  static_cast<void>(gaps.add({from, within.end}));
  return gaps;
}

std::size_t Coverage::at(std::size_t index) const {
  for (const auto& [first, end] : intervals_) {
    if (index < end - first) return first + index;
    index -= end - first;
  }
  assert(false);
  return 0;
}

}  // namespace dbandit::sim
