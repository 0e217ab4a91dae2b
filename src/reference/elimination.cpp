#include "reference/elimination.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"

namespace dbandit::reference {

/// The largest share among the arms left that have matured pulls; the first in the start order where shares are equal. The first arm left
/// when none has matured.
std::size_t Elimination::best(std::span<const std::size_t> start, std::span<const Matured> arms) const {
  std::size_t best = arms.size();
  for (const std::size_t arm : start) {
    if (!left_[arm]) continue;
    if (best == arms.size() || (arms[arm].pulls > 0 && (arms[best].pulls == 0 || arms[arm].share() > arms[best].share()))) best = arm;
  }
  return best;
}

template <class Wanted>
std::size_t Elimination::next(std::span<const std::size_t> start, Wanted wanted) {
  for (;;) {
    const std::size_t arm = start[turn_];
    turn_ = (turn_ + 1) % start.size();
    if (wanted(arm)) return arm;
  }
}

std::size_t Elimination::by_batches(std::int64_t t, std::span<const std::size_t> start, std::span<const Matured> arms) {
  if (t == end_ + 1) {
    const double scope = static_cast<double>(arms.size()) * static_cast<double>(horizon_) / static_cast<double>(end_);
    const auto radius = [&](const Matured& arm) { return std::sqrt(log_of(scope) / (2 * static_cast<double>(arm.pulls))); };
    double bar = -1;
    for (std::size_t k = 0; k < arms.size(); ++k) {
      if (left_[k] && arms[k].pulls > 0) bar = std::max(bar, arms[k].share() - radius(arms[k]));
    }
    for (std::size_t k = 0; k < arms.size(); ++k) {
      if (arms[k].pulls > 0 && arms[k].share() + radius(arms[k]) < bar) left_[k] = false;
    }
    end_ *= 2;
    if (end_ >= horizon_) {  // the last batch
      const std::size_t winner = best(start, arms);
      left_.assign(arms.size(), false);
      left_[winner] = true;
    }
  }
  return next(start, [&](std::size_t arm) { return left_[arm]; });
}

std::size_t Elimination::by_phases(std::span<const std::size_t> start, std::span<const Matured> arms) {
  for (;;) {
    if (std::count(left_.begin(), left_.end(), true) == 1) return next(start, [&](std::size_t arm) { return left_[arm]; });
    const double asked = std::ceil(std::ldexp(2 * log_of(static_cast<double>(horizon_)), 2 * phase_));
    const auto wanting = [&](std::size_t arm) { return left_[arm] && static_cast<double>(arms[arm].pulls) < asked; };
    if (std::any_of(start.begin(), start.end(), wanting)) return next(start, wanting);
    const double bar = arms[best(start, arms)].share() - std::ldexp(1.0, -phase_);
    for (std::size_t k = 0; k < arms.size(); ++k) {
      if (arms[k].share() < bar) left_[k] = false;
    }
    ++phase_;
  }
}

}  // namespace dbandit::reference
