#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/arena.hpp"

namespace dbandit::kernel {

/// The pulls of one replica that are still in the window, run-length coded: what a ring of arms is to the rounds engine.
struct Runs {
  struct Run {
    std::uint32_t last;  ///< its last round; it begins after the run before
    std::uint32_t arm;
  };
  std::int64_t window = 0;     ///< rounds that are remembered; 0: none
  std::uint32_t capacity = 1;  ///< a power of two: in the worst case every pull is a run
  Run* ring = nullptr;         ///< [replica][capacity]

  void size(std::int64_t rounds) {
    window = rounds;
    while (capacity < rounds + 2) capacity *= 2;
  }
  void declare(Rows& memory, std::size_t replicas) { ring = memory.room<Run>(window == 0 ? 0 : replicas * capacity); }
};

/// Where one replica's runs begin and end: counters that only grow, taken modulo the capacity.
struct RunsOfReplica {
  std::uint32_t begin = 0, end = 0;

  [[gnu::always_inline]] void push(const Runs& runs, std::size_t replica, std::size_t arm, std::int64_t last) {
    Runs::Run* const ring = runs.ring + replica * runs.capacity;
    const auto id = static_cast<std::uint32_t>(arm), until = static_cast<std::uint32_t>(last);
    if (begin != end && ring[(end - 1) & (runs.capacity - 1)].arm == id) {
      ring[(end - 1) & (runs.capacity - 1)].last = until;
    } else {
      ring[end++ & (runs.capacity - 1)] = {until, id};
    }
  }
  /// Lets the pulls of rounds after + 1 … last go, the oldest first: `leave(arm, count, age)`, the youngest of a run `age` rounds before
  /// the last.
  template <class Leave>
  [[gnu::always_inline]] void drop(const Runs& runs, std::size_t replica, std::int64_t after, std::int64_t last, Leave leave) {
    const Runs::Run* const ring = runs.ring + replica * runs.capacity;
    while (after < last) {
      const Runs::Run& run = ring[begin & (runs.capacity - 1)];
      const std::int64_t until = run.last < last ? run.last : last;
      leave(std::size_t{run.arm}, until - after, last - until);
      begin += run.last <= last;
      after = until;
    }
  }
  /// `each(arm, first, last)` for every run, the oldest first, that began by round `until`; pulls up to `gone` have left.
  template <class Each>
  [[gnu::always_inline]] void for_each(const Runs& runs, std::size_t replica, std::int64_t gone, std::int64_t until, Each each) const {
    const Runs::Run* const ring = runs.ring + replica * runs.capacity;
    for (std::uint32_t at = begin; at != end && gone < until; ++at) {
      const Runs::Run& run = ring[at & (runs.capacity - 1)];
      each(std::size_t{run.arm}, gone + 1, std::int64_t{run.last});
      gone = run.last;
    }
  }
};

}  // namespace dbandit::kernel
