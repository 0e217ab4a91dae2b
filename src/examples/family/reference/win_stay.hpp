#pragma once

#include "reference/index.hpp"

namespace dbandit::reference {

/// Win-stay, lose-shift (Robbins 1952) where a win may be late: an arm is left when 20 rounds have shown no conversion of it.
struct WinStay {
  std::size_t place = 0;
  std::int64_t since = 0;
  double seen = 0;

  std::size_t operator()(std::int64_t t, std::span<const std::size_t> start, std::span<const ArmStatistics> arms) {
    if (arms[start[place]].conversions > seen) {
      since = t;
    } else if (t - since >= 20) {
      place = (place + 1) % start.size();
      since = t;
    }
    if (since == t) seen = arms[start[place]].conversions;
    return start[place];
  }
};

}  // namespace dbandit::reference
