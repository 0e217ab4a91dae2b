#include "kernel/memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

namespace {
thread_local std::size_t requested = 0;  // bytes asked of operator new by this thread, ever

void* allocate_or_null(std::size_t bytes, std::size_t alignment) {
  requested += bytes;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_or_null(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// The one that does not throw too, which std::stable_sort takes: AddressSanitizer's own would meet a delete that is not its.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_or_null(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace dbandit::testing {
namespace {

constexpr std::size_t kLanes = 24;

class Memory : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, Memory, EachPolicy(), kPolicyName);

/// What a block asks for on a thread that has simulated nothing before, so that nothing is reused; and what the next one does.
struct Requests {
  std::size_t first = 0, second = 0;
};
Requests requests_of(const model::Experiment& e, model::Exposure exposure) {
  Requests requests;
  model::Paths paths;
  paths.resize(kLanes, e.at.size(), e.problem.theta.size(), 0);
  std::thread([&] {
    const auto play = [&](std::uint64_t first) {
      const std::size_t before = requested;
      kernel::best_target().simulate(e, {.first = first, .count = kLanes}, exposure, model::Solver::direct, paths, nullptr);
      return requested - before;
    };
    requests.first = play(0);
    requests.second = play(kLanes);
  }).join();
  return requests;
}
std::size_t bytes_of(const model::Experiment& e, model::Exposure exposure) { return requests_of(e, exposure).first; }

/// Whether a law can be summed in that way at all.
bool sums(const model::DelayLaw& law, model::Exposure exposure) {
  if (exposure == model::Exposure::approx) return model::to_text(law).starts_with("lognormal");  // one fit is enough: it takes a while
  return exposure == model::Exposure::buffer || model::has_recursion(law);
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

// Whatever the law and the way Ñ is summed: what is promised is what is asked for, to a twentieth and 2 KB. A fit works in memory that
// is freed again and asked for many times over, so of it only the promise's other end is looked at.
TEST_P(Memory, OfABlockIsWhatIsPromised) {
  for (const char* text :
       {"geometric:20", "mixture:0.3*5+0.7*60", "uniform:0..70", "constant:30", "negbin:7,40", "weibull:0.7,20", "lognormal:3,1",
        "pareto:2,30", "empirical:5*0+3*4+1*30+2*60", "geometric:20,50,3", "weibull:0.7,20,geometric:5,constant:9"}) {
    const model::Delays delays = model::parse_delays(text);
    for (const model::Exposure exposure : {model::Exposure::recursion, model::Exposure::buffer, model::Exposure::approx}) {
      if (delays.common() && !sums(delays.laws.front(), exposure)) continue;
      if (!delays.common() &&
          !(exposure == model::Exposure::buffer || (exposure == model::Exposure::recursion && model::has_recursion(delays))))
        continue;
      model::Experiment e = experiment(GetParam(), {{0.5, 0.3, 0.2}, delays}, 100, 400, 6);
      e.tolerance = 1e-4;
      if (exposure != model::Exposure::approx) e.leap_after = 0;  // where the policy can leap, what it takes is promised too
      const kernel::StateBytes promised = kernel::state_bytes({&e, 1}, kLanes, exposure);
      const double all = promised.rows + promised.tables;
      const auto [first, second] = requests_of(e, exposure);
      EXPECT_EQ(second, 0u) << text << ": the second block of a run allocates";
      EXPECT_GE(static_cast<double>(first), exposure == model::Exposure::approx ? 0 : 0.95 * all - 2048) << text;
      if (exposure == model::Exposure::approx) continue;
      EXPECT_LE(static_cast<double>(first), all) << text;
    }
  }
}

// Of several experiments a thread keeps the largest block and the tables of all laws.
TEST(MemoryOfABlock, OfSeveralExperimentsIsTheLargestAndAllTables) {
  const auto with = [](const char* law) {
    return experiment(*policy::find("d-klucb"), {{0.5, 0.3}, model::parse_delays(law)}, 100, 400, 6);
  };
  const std::vector<model::Experiment> both = {with("weibull:0.7,20"), with("pareto:2,30")};
  const auto of = [&](std::size_t first, std::size_t count) {
    return kernel::state_bytes(std::span(both).subspan(first, count), kLanes, model::Exposure::buffer);
  };
  EXPECT_EQ(of(0, 2).rows, std::max(of(0, 1).rows, of(1, 1).rows));
  EXPECT_EQ(of(0, 2).tables, of(0, 1).tables + of(1, 1).tables);
}

}  // namespace
}  // namespace dbandit::testing
