#pragma once

#include <chrono>
#include <cstddef>

namespace dbandit::cli {

/// A bar on standard error with the rate and the time left, redrawn at most ten times a second and wiped at the end.
class ProgressBar {
 public:
  /// Shown only when standard error is a terminal and `wanted`. `begun`: the share that an earlier sitting has done.
  ProgressBar(bool wanted, double replica_rounds, double begun = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  double replica_rounds_;
  double begun_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace dbandit::cli
