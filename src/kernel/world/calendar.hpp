#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "kernel/arena.hpp"

/// Scheduling and disclosing conversions. Cost is proportional to the conversions, not to the lanes.
namespace dbandit::kernel {

/// A disclosure on its way, packed: the lane, the arm and, in 64 bits, for a policy that learns from delays, the delay. Two more arms count
/// the realised regret: K is a conversion that the best arm would have had, K + 1 one of ours to set against it.
template <class Word>
struct Entry {
  static constexpr std::size_t kMost = 0xFFFF;  ///< lanes, and arms
  Word packed;

  [[gnu::always_inline]] static Entry of(std::size_t lane, std::size_t arm, std::int64_t delay) {
    assert(lane <= kMost && arm <= kMost && delay >= 0);
    if constexpr (sizeof(Word) == 8) return {static_cast<Word>(lane | arm << 16 | static_cast<std::uint64_t>(delay) << 32)};
    return {static_cast<Word>(lane | arm << 16)};
  }
  [[gnu::always_inline]] std::size_t lane() const { return packed & kMost; }
  [[gnu::always_inline]] std::size_t arm() const { return packed >> 16 & kMost; }
  [[gnu::always_inline]] std::uint32_t delay() const {
    static_assert(sizeof(Word) == 8, "an entry of 32 bits does not tell its delay");
    return static_cast<std::uint32_t>(packed >> 32);
  }
};

/// Pending disclosures by round: a wheel of buckets, each a chain of 14-entry chunks in order of arrival. Its length is the
/// window (or the longest delay that can be drawn), never the horizon.
template <class Word>
struct Calendar {
  static constexpr std::uint32_t kEntries = 14;
  struct Chunk {
    Entry<Word> entry[kEntries];
    Word next;   ///< chunk that continues this one; 0: none (chunk 0 is a bucket's first, never a continuation)
    Word count;  ///< in a bucket's first chunk: entries of the whole chain
  };
  Chunk* chunks = nullptr;  ///< [buckets] first chunks, then the pool
  std::uint32_t buckets = 0;
  std::uint32_t capacity = 0;  ///< chunks in all: as many as can ever be needed at once
  std::uint32_t used = 0;      ///< chunks handed out so far
  std::uint32_t free = 0;      ///< head of the list of returned chunks; 0: none
  std::uint32_t now = 0;       ///< bucket of the current round

  /// The pool lies untouched until it is needed. What is filed in a round is gone `length` rounds later, so at most `filed_in_a_round`
  /// times `length` entries are pending; a bucket of c entries needs (c − 1)/14 chunks beyond its first.
  void declare(Rows& rows, std::size_t length, std::size_t filed_in_a_round) {
    const std::size_t pool = filed_in_a_round * length / kEntries;
    buckets = used = static_cast<std::uint32_t>(length);
    capacity = static_cast<std::uint32_t>(length + pool);
    rows(chunks, length);
    rows.room<Chunk>(pool);
  }
};

template <class Arch, class Word>
inline std::size_t bucket_at(const Calendar<Word>& calendar, std::int64_t delay) {
  assert(delay >= 0 && delay < calendar.buckets);
  const std::uint64_t bucket = calendar.now + static_cast<std::uint64_t>(delay);
  return bucket >= calendar.buckets ? bucket - calendar.buckets : bucket;
}

/// Files an entry `delay` rounds ahead; delay < buckets.
template <class Arch, class Word>
inline void schedule(Calendar<Word>& calendar, std::int64_t delay, Entry<Word> entry) {
  using Chunk = typename Calendar<Word>::Chunk;
  Chunk* chunk = &calendar.chunks[bucket_at<Arch>(calendar, delay)];
  std::uint32_t position = static_cast<std::uint32_t>(chunk->count);
  chunk->count = position + 1;
  while (position >= Calendar<Word>::kEntries) {
    position -= Calendar<Word>::kEntries;
    if (chunk->next == 0) {
      std::uint32_t fresh = calendar.free;
      if (fresh != 0) {
        calendar.free = static_cast<std::uint32_t>(calendar.chunks[fresh].next);
      } else {
        fresh = calendar.used++;
      }
      assert(fresh >= calendar.buckets && fresh < calendar.capacity);
      calendar.chunks[fresh].next = 0;
      chunk->next = fresh;
    }
    chunk = &calendar.chunks[chunk->next];
  }
  chunk->entry[position] = entry;
}

/// Hands every entry of the current round to `see`, in order of arrival, and moves to the next round.
template <class Arch, class Word, class See>
inline void disclose(Calendar<Word>& calendar, See see) {
  using Chunk = typename Calendar<Word>::Chunk;
  Chunk* const first = &calendar.chunks[calendar.now];
  std::uint32_t left = static_cast<std::uint32_t>(first->count);
  Chunk* chunk = first;
  for (;;) {
    const std::uint32_t here = left < Calendar<Word>::kEntries ? left : Calendar<Word>::kEntries;
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
