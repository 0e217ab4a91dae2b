#include "dbandit/sim/executor.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dbandit::sim {

namespace {

using Step = std::function<void(const Place&)>;

std::size_t serially(std::size_t n, const std::stop_token& stop, const Step& produce, const Step& consume) {
  std::size_t item = 0;
  for (; item < n && !stop.stop_requested(); ++item) {
    produce({item, 0, 0});
    consume({item, 0, 0});
  }
  return item;
}

// Why item % slots is a free slot, here and below: item is admitted only while fewer than `slots` items are in flight, and
// items leave in order, so item − slots has been consumed.

std::size_t on_tbb(int threads, std::size_t n, const std::stop_token& stop, const Step& produce, const Step& consume) {
  // Without the control an arena never gets more threads than the machine has cores, whatever was asked for.
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  const std::size_t in_flight = slots(threads);
  std::size_t next = 0;
  std::size_t consumed = 0;
  const auto admit = [&](tbb::flow_control& flow) -> std::size_t {
    if (next < n && !stop.stop_requested()) return next++;
    flow.stop();
    return n;
  };
  const auto work = [&](std::size_t item) {
    produce({item, item % in_flight, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())});
    return item;
  };
  const auto fold = [&](std::size_t item) {
    consume({item, item % in_flight, 0});
    ++consumed;
  };
  using tbb::filter_mode;
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_pipeline(in_flight, tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order, admit) &
                                          tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, work) &
                                          tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order, fold));
  });
  return consumed;
}

/// Threads produce, the caller consumes; one mutex guards all that they share but the slots, which change hands under it.
std::size_t on_threads(int threads, std::size_t n, const std::stop_token& stop, const Step& produce, const Step& consume) {
  const std::size_t in_flight = slots(threads);
  std::mutex mutex;
  std::condition_variable room, progress;
  std::vector<char> ready(in_flight, false);
  std::size_t next = 0;      // the first item that nobody has begun
  std::size_t consumed = 0;  // the first item that is not folded
  bool closed = n == 0;      // no further item will begin
  std::exception_ptr failure;

  const auto close = [&](std::exception_ptr why) {
    closed = true;
    if (!failure) failure = std::move(why);
    room.notify_all();
    progress.notify_all();
  };
  const auto work = [&](std::size_t worker) {
    std::unique_lock lock(mutex);
    while (true) {
      room.wait(lock, [&] { return closed || next < consumed + in_flight; });
      if (!closed && (next == n || stop.stop_requested())) close(nullptr);
      if (closed) return;
      const std::size_t item = next++;
      lock.unlock();
      std::exception_ptr why;
      try {
        produce({item, item % in_flight, worker});
      } catch (...) {
        why = std::current_exception();
      }
      lock.lock();
      if (why) return close(std::move(why));
      ready[item % in_flight] = true;
      progress.notify_all();
    }
  };

  {
    std::vector<std::jthread> workers;  // joined when this scope ends, whichever way
    try {
      for (std::size_t worker = 0; worker < static_cast<std::size_t>(threads); ++worker) workers.emplace_back(work, worker);
      std::unique_lock lock(mutex);
      while (true) {
        progress.wait(lock, [&] { return failure || ready[consumed % in_flight] || (closed && consumed == next); });
        if (failure || !ready[consumed % in_flight]) break;
        lock.unlock();
        consume({consumed, consumed % in_flight, 0});
        lock.lock();
        ready[consumed % in_flight] = false;
        ++consumed;
        room.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      close(std::current_exception());
    }
  }
  if (failure) std::rethrow_exception(failure);
  return consumed;
}

}  // namespace

std::size_t for_each_in_order(Executor executor, int threads, std::size_t n, const std::stop_token& stop, const Step& produce,
                              const Step& consume) {
  switch (executor) {
    case Executor::tbb:
      return on_tbb(threads, n, stop, produce, consume);
    case Executor::threads:
      return on_threads(threads, n, stop, produce, consume);
    case Executor::serial:
      break;
  }
  return serially(n, stop, produce, consume);
}

}  // namespace dbandit::sim
