#include "dbandit/sim/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/executors.hpp"

namespace dbandit::sim {
namespace {

using namespace std::chrono_literals;

struct Crew {
  Executor executor;
  int threads;
};
std::string name(const Crew& crew) {
  const char* const kind = crew.executor == Executor::tbb ? "tbb" : crew.executor == Executor::threads ? "threads" : "serial";
  return kind + std::to_string(crew.threads);
}
void PrintTo(const Crew& crew, std::ostream* out) { *out << name(crew); }

std::vector<Crew> crews() {
  std::vector<Crew> all;
  for (const Executor executor : executors()) {
    for (const int threads : {1, 2, 7}) {
      if (executor != Executor::serial || threads == 1) all.push_back({executor, threads});
    }
  }
  return all;
}

class EveryCrew : public testing::TestWithParam<Crew> {
 protected:
  std::size_t run(std::size_t n, const std::function<void(const Place&)>& produce, const std::function<void(const Place&)>& consume,
                  const std::stop_token& stop = {}) const {
    return for_each_in_order(GetParam().executor, GetParam().threads, n, stop, produce, consume);
  }
};

INSTANTIATE_TEST_SUITE_P(Executor, EveryCrew, testing::ValuesIn(crews()), [](const auto& info) { return name(info.param); });

TEST_P(EveryCrew, ConsumesEveryItemOnceAndInOrderHoweverLongEachTakes) {
  for (const std::size_t n : {0, 1, 2, 27, 28, 29, 400}) {
    std::vector<std::size_t> order;
    const auto slow_when_early = [](const Place& place) {
      if (place.item % 7 == 0) std::this_thread::sleep_for(1ms);
    };
    EXPECT_EQ(run(n, slow_when_early, [&](const Place& place) { order.push_back(place.item); }), n);
    std::vector<std::size_t> expected(n);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(order, expected);
  }
}

TEST_P(EveryCrew, HandsEachItemsResultOverInItsSlotAndNeverSharesASlotOrAWorker) {
  std::vector<std::atomic<int>> slot_users(slots(GetParam().threads));
  std::vector<std::atomic<int>> worker_users(static_cast<std::size_t>(GetParam().threads));
  std::vector<std::size_t> results(slots(GetParam().threads));
  std::atomic<int> clashes = 0;
  std::size_t wrong = 0;
  const auto produce = [&](const Place& place) {
    clashes += slot_users.at(place.slot)++ + worker_users.at(place.worker)++;
    results[place.slot] = place.item * place.item;
    if (place.item % 5 == 0) std::this_thread::sleep_for(200us);
    --worker_users[place.worker];
  };
  const auto consume = [&](const Place& place) {
    wrong += results.at(place.slot) != place.item * place.item;
    --slot_users[place.slot];
  };
  EXPECT_EQ(run(1000, produce, consume), 1000U);
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(wrong, 0U);
}

TEST_P(EveryCrew, ReallyRunsAsManyThreadsAsAskedFor) {
  std::mutex mutex;
  std::condition_variable all_here;
  const auto wanted = static_cast<std::size_t>(GetParam().threads);
  std::size_t here = 0;
  const auto wait_for_the_others = [&](const Place&) {
    std::unique_lock lock(mutex);
    ++here;
    all_here.notify_all();
    all_here.wait_for(lock, 20s, [&] { return here >= wanted; });
    EXPECT_GE(here, wanted);
  };
  run(wanted, wait_for_the_others, [](const Place&) {});
}

TEST_P(EveryCrew, NeverLooksFurtherAheadThanItsSlots) {
  std::atomic<std::size_t> consumed = 0;
  std::atomic<std::size_t> furthest = 0;
  const auto produce = [&](const Place& place) {
    const std::size_t ahead = place.item - consumed.load();
    std::size_t seen = furthest.load();
    while (ahead > seen && !furthest.compare_exchange_weak(seen, ahead)) {
    }
  };
  const auto slow_consume = [&](const Place& place) {
    if (place.item % 16 == 0) std::this_thread::sleep_for(1ms);
    ++consumed;
  };
  run(500, produce, slow_consume);
  EXPECT_LE(furthest, slots(GetParam().threads));
}

TEST_P(EveryCrew, AnExceptionOutOfProduceReachesTheCaller) {
  std::size_t consumed = 0;
  const auto produce = [](const Place& place) {
    if (place.item == 30) throw std::runtime_error("item 30");
  };
  EXPECT_THROW(run(100000, produce, [&](const Place&) { ++consumed; }), std::runtime_error);
  EXPECT_LE(consumed, 30U);
}

TEST_P(EveryCrew, AnExceptionOutOfConsumeReachesTheCaller) {
  const auto consume = [](const Place& place) {
    if (place.item == 30) throw std::runtime_error("item 30");
  };
  EXPECT_THROW(run(
                   100000, [](const Place&) {}, consume),
               std::runtime_error);
}

TEST_P(EveryCrew, AfterAStopRequestWhatHasBegunIsConsumedAndNothingElseBegins) {
  std::stop_source stop;
  std::atomic<std::size_t> begun = 0;
  std::size_t consumed = 0;
  const auto consume = [&](const Place& place) {
    EXPECT_EQ(place.item, consumed);
    if (++consumed == 6) stop.request_stop();
  };
  const std::size_t done = run(
      100000, [&](const Place&) { ++begun; }, consume, stop.get_token());
  EXPECT_EQ(done, consumed);
  EXPECT_EQ(done, begun);
  EXPECT_GE(done, 6U);
  EXPECT_LE(done, 6 + slots(GetParam().threads));
}

TEST_P(EveryCrew, AStopRequestBeforeTheStartLeavesNothingDone) {
  std::stop_source stop;
  stop.request_stop();
  const auto forbidden = [](const Place&) { ADD_FAILURE(); };
  EXPECT_EQ(run(10, forbidden, forbidden, stop.get_token()), 0U);
}

}  // namespace
}  // namespace dbandit::sim
