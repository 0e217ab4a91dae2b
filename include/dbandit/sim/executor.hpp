#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace dbandit::sim {

/// Who runs the blocks: oneTBB, plain threads (for ThreadSanitizer, which cannot see into TBB), or nobody else.
enum class Executor { tbb, threads, serial };
#ifdef __SANITIZE_THREAD__
inline constexpr Executor kDefaultExecutor = Executor::threads;
#else
inline constexpr Executor kDefaultExecutor = Executor::tbb;
#endif

/// Where an item is worked on. No two items in flight share a slot, no two threads share a worker: storage that belongs
/// to either needs no lock and is reused.
struct Place {
  std::size_t item = 0;
  std::size_t slot = 0;    ///< < slots(threads)
  std::size_t worker = 0;  ///< < threads; of no meaning to `consume`
};

/// How many items may be in flight: enough that a slow one does not hold the others up.
constexpr std::size_t slots(int threads) { return 4 * static_cast<std::size_t>(threads); }

/// Items 0, 1, …, n−1: `produce` runs on up to `threads` threads, in any order; `consume` runs strictly in order of the
/// items, one at a time. After a stop request no new item starts; those in flight are finished, so that what is consumed is
/// always a prefix. An exception out of either ends the work and reaches the caller. Returns the number consumed.
std::size_t for_each_in_order(Executor executor, int threads, std::size_t n, const std::stop_token& stop,
                              const std::function<void(const Place&)>& produce, const std::function<void(const Place&)>& consume);

}  // namespace dbandit::sim
