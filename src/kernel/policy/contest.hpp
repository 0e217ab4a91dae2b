#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/policy/exploration.hpp"
#include "kernel/policy/largest.hpp"
#include "kernel/policy/poisson.hpp"
#include "rng/draws.hpp"

/// Exact decisions in scalar, for files of the baseline CPU only.
namespace dbandit::kernel {

inline double poisson_bound_exact(double conversions, double beta) {
  return poisson_bound<Baseline>(Doubles<Baseline>(conversions), beta, excess_newton<Baseline, kFullSteps>).get(0);
}

/// The arm of largest index in a lane, ties by the tie keys. Ties are relative to the largest index, which is known only at the end:
/// where an index is near another but not equal to it, a second pass over the arms settles who is within kTie of the largest.
class Contest {
 public:
  Contest(const Books& books, const Ties& ties, std::int64_t round, std::size_t lane)
      : books_(books), ties_(ties), round_(static_cast<std::uint64_t>(round)), lane_(lane) {}

  /// An arm whose index is above/below; below = 0 is +∞.
  void enter(std::size_t arm, double above, double below) {
    const double challenger = above * below_, champion = above_ * below;
    const double distance = std::abs(challenger - champion);
    if (second_pass_) {
      if (distance <= kTie * champion) tie(arm);
      return;
    }
    near_ |= distance > 0 && distance <= 4 * kTie * champion;
    if (challenger == champion) {
      tie(arm);
    } else if (challenger > champion) {
      above_ = above, below_ = below, winner_ = arm, keyed_ = false;
    }
  }
  /// Whether the arms must be entered once more.
  [[nodiscard]] bool again() {
    if (second_pass_ || !near_) return false;
    second_pass_ = true, keyed_ = false;
    return true;
  }
  [[nodiscard]] std::size_t winner() const { return winner_; }

 private:
  std::uint32_t key(std::size_t arm) const {
    if (ties_.keys_are_drawn) return ties_.keys[arm * books_.lanes + lane_];
    return rng::tie_key(books_.seed, books_.first + lane_, round_, arm);
  }
  void tie(std::size_t arm) {
    if (ties_.lowest) {
      winner_ = std::min(winner_, arm);
      return;
    }
    if (arm == winner_) return;
    if (!keyed_) winner_key_ = key(winner_), keyed_ = true;
    const std::uint32_t rival = key(arm);
    if (rival > winner_key_ || (rival == winner_key_ && arm < winner_)) winner_ = arm, winner_key_ = rival;
  }

  const Books& books_;
  const Ties& ties_;
  std::uint64_t round_;
  std::size_t lane_;
  bool near_ = false, second_pass_ = false, keyed_ = false;
  double above_ = -1, below_ = 1;
  std::size_t winner_ = 0;
  std::uint32_t winner_key_ = 0;
};

}  // namespace dbandit::kernel
