#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "text_option.hpp"

namespace dbandit::cli {

/// How far a run is: not told, told to a person by a bar or by a line now and then, or to a program by a JSON object a line.
enum class Progress { none, bar, lines, json };

/// --progress auto|json|none; auto: a bar when standard error is a terminal, lines on a dumb one and under mpirun, which
/// gives a pipe to every rank.
class ProgressFlag {
 public:
  void declare(Usage& command);
  /// What was asked for wins over --quiet.
  [[nodiscard]] Progress form(bool quiet) const;

 private:
  TextOption option_;
};

/// A bar and what stands beside it in at most so many columns: "[====      ]  40 %  46.2 M replica-rounds/s  ETA 12 s".
std::string bar_line(double share, std::string_view pace, std::string_view left, std::size_t width);

/// The rate and the time left on standard error, at most ten times a second; a bar is redrawn in place and wiped at the end, the last
/// object says that all is done. Lines come after 2 seconds, then after 4, 8, …, and every minute.
class ProgressBar {
 public:
  /// `begun`: the share that earlier sessions have done.
  ProgressBar(Progress form, double replica_rounds, double begun = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;
  void tell(double share, double seconds, std::size_t done, std::size_t all) const;

  Progress form_;
  double replica_rounds_;
  double begun_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
  Clock::duration pause_ = std::chrono::milliseconds(100);  ///< between two that are drawn
};

}  // namespace dbandit::cli
