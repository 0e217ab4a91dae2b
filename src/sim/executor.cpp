#include "dbandit/sim/executor.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dbandit::sim {

namespace {

/// What the workers of one call share.
class Workers {
 public:
  Workers(const NextItem& next, const Work& work) : next_(next), work_(work) {}

  void run(std::size_t worker) {
    try {
      while (!failed_.load(std::memory_order_relaxed)) {
        const std::optional<std::size_t> item = next_();
        if (!item) return;
        work_(*item, worker);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const NextItem& next_;
  const Work& work_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

void on_tbb(int threads, Workers& workers) {
  // Without the control an arena never gets more threads than the machine has cores, whatever was asked for.
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(
        std::size_t{0}, static_cast<std::size_t>(threads), [&](std::size_t worker) { workers.run(worker); }, tbb::simple_partitioner());
  });
}

void on_threads(int threads, Workers& workers) {
  std::vector<std::jthread> started;
  for (std::size_t worker = 0; worker < static_cast<std::size_t>(threads); ++worker) {
    started.emplace_back([&workers, worker] { workers.run(worker); });
  }
}

}  // namespace

void for_each(Executor executor, int threads, const NextItem& next, const Work& work) {
  Workers workers(next, work);
  switch (executor) {
    case Executor::tbb:
      on_tbb(threads, workers);
      break;
    case Executor::threads:
      on_threads(threads, workers);
      break;
    case Executor::serial:
      workers.run(0);
      break;
  }
  workers.rethrow();
}

}  // namespace dbandit::sim
