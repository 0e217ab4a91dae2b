#pragma once

#include <algorithm>
#include <chrono>

namespace dbandit {

/// Between two readings of a clock. Virtual machines that were moved have set even a steady clock back: no time has passed then.
inline double seconds_between(double start, double end) { return std::max(0.0, end - start); }

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return seconds_between(0, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace dbandit
