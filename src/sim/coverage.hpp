#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dbandit::sim {

/// A half-open interval of blocks.
struct Interval {
  std::size_t first = 0, end = 0;
  [[nodiscard]] std::size_t count() const { return end - first; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A set of blocks, as intervals in increasing order that neither overlap nor touch.
class Coverage {
 public:
  Coverage() = default;
  explicit Coverage(Interval interval) { static_cast<void>(add(interval)); }

  /// False, and nothing changes, when some of it is there already.
  bool add(Interval interval);
  bool merge(const Coverage& other);
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] bool contains(Interval interval) const;
  [[nodiscard]] bool contains(const Coverage& other) const;
  /// What is not covered of an interval.
  [[nodiscard]] Coverage missing(Interval within) const;
  /// The block at place `index` < count(), in increasing order.
  [[nodiscard]] std::size_t at(std::size_t index) const;
  [[nodiscard]] std::span<const Interval> intervals() const { return intervals_; }

  friend bool operator==(const Coverage&, const Coverage&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace dbandit::sim
