#include "dbandit/sim/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/executors.hpp"

namespace dbandit::sim {
namespace {

using namespace std::chrono_literals;

struct Workers {
  Executor executor;
  int threads;
};
std::string name(const Workers& workers) {
  const char* const kind = workers.executor == Executor::tbb ? "tbb" : workers.executor == Executor::threads ? "threads" : "serial";
  return kind + std::to_string(workers.threads);
}
void PrintTo(const Workers& workers, std::ostream* out) { *out << name(workers); }

std::vector<Workers> all_workers() {
  std::vector<Workers> all;
  for (const Executor executor : executors()) {
    for (const int threads : {1, 2, 7}) {
      if (executor != Executor::serial || threads == 1) all.push_back({executor, threads});
    }
  }
  return all;
}

class EveryExecutor : public testing::TestWithParam<Workers> {
 protected:
  /// Items 0, 1, …, n − 1.
  void run(std::size_t n, const Work& work) const {
    std::atomic<std::size_t> counter = 0;
    const auto next = [&]() -> std::optional<std::size_t> {
      const std::size_t item = counter++;
      return item < n ? std::optional(item) : std::nullopt;
    };
    for_each(GetParam().executor, GetParam().threads, next, work);
  }
};

INSTANTIATE_TEST_SUITE_P(Executor, EveryExecutor, testing::ValuesIn(all_workers()), [](const auto& info) { return name(info.param); });

TEST_P(EveryExecutor, WorksOnEveryItemOnceHoweverLongEachTakes) {
  for (const std::size_t n : {0, 1, 2, 27, 400}) {
    std::vector<std::atomic<int>> seen(n);
    run(n, [&](std::size_t item, std::size_t) {
      if (item % 7 == 0) std::this_thread::sleep_for(1ms);
      ++seen[item];
    });
    EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& times) { return times == 1; }));
  }
}

TEST_P(EveryExecutor, NeverSharesAWorker) {
  std::vector<std::atomic<int>> users(static_cast<std::size_t>(GetParam().threads));
  std::atomic<int> clashes = 0;
  run(1000, [&](std::size_t item, std::size_t worker) {
    clashes += users.at(worker)++;
    if (item % 5 == 0) std::this_thread::sleep_for(200us);
    --users[worker];
  });
  EXPECT_EQ(clashes, 0);
}

TEST_P(EveryExecutor, ReallyRunsAsManyThreadsAsAskedFor) {
  std::mutex mutex;
  std::condition_variable all_here;
  const auto wanted = static_cast<std::size_t>(GetParam().threads);
  std::size_t here = 0;
  run(wanted, [&](std::size_t, std::size_t) {
    std::unique_lock lock(mutex);
    ++here;
    all_here.notify_all();
    all_here.wait_for(lock, 300s, [&] { return here >= wanted; });  // a busy machine may be slow to start a thread
    EXPECT_GE(here, wanted);
  });
}

TEST_P(EveryExecutor, AnExceptionReachesTheCallerAndNoOtherItemBegins) {
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t item, std::size_t) {
    ++begun;
    if (item == 30) throw std::runtime_error("item 30");
    std::this_thread::sleep_for(100us);
  };
  EXPECT_THROW(run(100000, work), std::runtime_error);
  EXPECT_LT(begun, 10000U);
}

TEST_P(EveryExecutor, AnExceptionOutOfTheListOfItemsReachesTheCallerToo) {
  const auto next = []() -> std::optional<std::size_t> { throw std::runtime_error("no list"); };
  EXPECT_THROW(for_each(GetParam().executor, GetParam().threads, next, [](std::size_t, std::size_t) {}), std::runtime_error);
}

}  // namespace
}  // namespace dbandit::sim
