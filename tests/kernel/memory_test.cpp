#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

namespace {
thread_local std::size_t requested = 0;  // bytes asked of operator new by this thread, ever

void* allocate(std::size_t bytes, std::size_t alignment) {
  requested += bytes;
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace dbandit::testing {
namespace {

class Memory : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, Memory, ::testing::ValuesIn(policy::catalogue().begin(), policy::catalogue().end()),
                         [](const auto& info) { return test_name(info.param.id); });

/// What a block asks for on a thread that has simulated nothing before, so that nothing is reused.
std::size_t bytes_of(const model::Experiment& e, model::Exposure exposure) {
  std::size_t bytes = 0;
  std::thread([&] {
    const std::size_t before = requested;
    simulate(kernel::best_target(), e, {.first = 0, .count = 24}, exposure, model::Solver::direct, false);
    bytes = requested - before;
  }).join();
  return bytes;
}

// m = 100, or without a window the longest delay that can be drawn (37 means): beyond it a longer horizon takes no more memory.
TEST_P(Memory, OfABlockDoesNotGrowWithTheHorizon) {
  for (const model::Exposure exposure : kExposures) {
    model::Experiment e = experiment(GetParam(), {{0.5, 0.3, 0.2}, model::Geometric{20}}, 100, 2'000, 6);
    const std::size_t bytes = bytes_of(e, exposure);
    e.horizon = 20'000, e.at = {e.horizon};
    EXPECT_EQ(bytes_of(e, exposure), bytes);
    EXPECT_LT(bytes, 2'000'000u);
  }
}

// The test above can fail: a wider window does take more.
TEST(MemoryOfABlock, GrowsWithTheWindow) {
  for (const char* id : {"d-klucb", "discard-ucb", "agnostic-klucb", "uniform"}) {
    model::Experiment e = experiment(*policy::find(id), {{0.5, 0.3, 0.2}, model::Geometric{20}}, 100, 2'000, 6);
    const std::size_t bytes = bytes_of(e, model::Exposure::recursion);
    e.window = 1'000;
    EXPECT_GT(bytes_of(e, model::Exposure::recursion), bytes + 900 * 24) << id;
  }
}

TEST_P(Memory, OfABlockWithAWindowBeyondTheHorizonIsThatOfTheHorizon) {
  for (const model::Exposure exposure : kExposures) {
    model::Experiment e = experiment(GetParam(), {{0.5, 0.3, 0.2}, model::Geometric{20}}, 50, 50, 6);
    const std::size_t bytes = bytes_of(e, exposure);
    if (e.window) e.window = 1'000'000'000;
    EXPECT_EQ(bytes_of(e, exposure), bytes);
  }
}

}  // namespace
}  // namespace dbandit::testing
