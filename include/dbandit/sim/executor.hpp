#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace dbandit::sim {

/// Who runs the blocks: oneTBB, plain threads (for ThreadSanitizer, which cannot see into TBB), or the calling thread alone.
enum class Executor { tbb, threads, serial };
#ifdef __SANITIZE_THREAD__
inline constexpr Executor kDefaultExecutor = Executor::threads;
#else
inline constexpr Executor kDefaultExecutor = Executor::tbb;
#endif

/// The next item to work on, or none: there are no more, or nobody is to begin another. Called by all workers at once.
using NextItem = std::function<std::optional<std::size_t>()>;
/// No two threads share a worker < threads: storage that belongs to one needs no lock.
using Work = std::function<void(std::size_t item, std::size_t worker)>;

/// Works on items as they come, on up to `threads` threads, in any order, until there are none. An exception out of either function ends
/// the work, once the items under way are done, and reaches the caller.
void for_each(Executor executor, int threads, const NextItem& next, const Work& work);

}  // namespace dbandit::sim
