#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dbandit {

/// One cache line, and the widest vector any target has.
inline constexpr std::size_t kAlignment = 64;

/// Rows are padded to this many lanes, so that no kernel has a scalar tail: the widest vector of doubles,
/// and the group of replicas that share one conversion call (rng/draws.hpp).
inline constexpr std::size_t kLaneGroup = 8;

constexpr std::size_t padded_lanes(std::size_t lanes) { return (lanes + kLaneGroup - 1) / kLaneGroup * kLaneGroup; }

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{kAlignment}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) noexcept { return true; }
};

/// Contiguous storage on a cache-line boundary.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace dbandit
