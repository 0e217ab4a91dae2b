#pragma once

#include "kernel/state.hpp"

/// Scheduling and disclosing conversions. Cost is proportional to the conversions, not to the lanes.
namespace dbandit::kernel {

template <class Arch, class Entry>
inline std::size_t bucket_at(const Calendar<Entry>& calendar, std::int64_t delay) {
  const std::uint64_t bucket = calendar.now + static_cast<std::uint64_t>(delay);
  return bucket >= calendar.buckets ? bucket - calendar.buckets : bucket;
}

/// Files an entry `delay` rounds ahead; delay < buckets.
template <class Arch, class Entry>
inline void schedule(Calendar<Entry>& calendar, std::int64_t delay, Entry entry) {
  using Chunk = typename Calendar<Entry>::Chunk;
  Chunk* chunk = &calendar.chunks[bucket_at<Arch>(calendar, delay)];
  std::uint32_t position = static_cast<std::uint32_t>(chunk->count);
  chunk->count = position + 1;
  while (position >= Calendar<Entry>::kEntries) {
    position -= Calendar<Entry>::kEntries;
    if (chunk->next == 0) {
      std::uint32_t fresh = calendar.free;
      if (fresh != 0) {
        calendar.free = static_cast<std::uint32_t>(calendar.chunks[fresh].next);
      } else {
        fresh = calendar.used++;
      }
      calendar.chunks[fresh].next = 0;
      chunk->next = fresh;
    }
    chunk = &calendar.chunks[chunk->next];
  }
  chunk->entry[position] = entry;
}

/// Hands every entry of the current round to `see`, in order of arrival, and moves to the next round.
template <class Arch, class Entry, class See>
inline void disclose(Calendar<Entry>& calendar, See see) {
  using Chunk = typename Calendar<Entry>::Chunk;
  Chunk* const first = &calendar.chunks[calendar.now];
  std::uint32_t left = static_cast<std::uint32_t>(first->count);
  Chunk* chunk = first;
  for (;;) {
    const std::uint32_t here = left < Calendar<Entry>::kEntries ? left : Calendar<Entry>::kEntries;
    for (std::uint32_t i = 0; i < here; ++i) see(chunk->entry[i]);
    left -= here;
    if (left == 0) break;
    chunk = &calendar.chunks[chunk->next];
  }
  if (first->next != 0) {  // the continuations go back to the pool as one chain
    chunk->next = calendar.free;
    calendar.free = static_cast<std::uint32_t>(first->next);
    first->next = 0;
  }
  first->count = 0;
  calendar.now = calendar.now + 1 == calendar.buckets ? 0 : calendar.now + 1;
}

}  // namespace dbandit::kernel
