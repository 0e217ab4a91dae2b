#pragma once

#include "dbandit/kernel/target.hpp"
#include "kernel/lanes.hpp"

namespace dbandit::kernel {

/// Adds the time since the last mark to a stage; nothing at all when the profile is not asked for.
template <class Arch, bool profiled>
struct StageClock {
  explicit StageClock(std::uint64_t* by_stage) : ticks(by_stage), last(profiled ? time_stamp<Arch>() : 0) {}
  void mark(Stage stage) {
    if constexpr (profiled) {
      const std::uint64_t now = time_stamp<Arch>();
      ticks[static_cast<int>(stage)] += now - last;
      last = now;
    }
  }
  std::uint64_t* ticks;
  std::uint64_t last;
};

}  // namespace dbandit::kernel
