#include <gtest/gtest.h>

#include "kernel/internals.hpp"
#include "kernel/small_worlds.hpp"

/// Both sides of every size at which the fast engine stores something differently. (Arm ids take 8 bits up to 256 arms and 16 beyond, the
/// books rows up to 4 arms and cells beyond: trajectories_test.cpp.)
namespace dbandit::testing {
namespace {

/// Every target plays the reference's path.
void expect_the_references_paths(const model::Experiment& e, const model::Block& block,
                                 model::Exposure exposure = model::Exposure::recursion) {
  Comparison comparison(e, block, model::Exposure::buffer);
  for (const kernel::Target& target : supported_targets()) {
    comparison.expect(simulate(target, e, block, exposure), std::string(target.name));
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(comparison.near_ties, 0) << description(e);
}

// Observed delays are counted in 16 bits while the horizon is below 65536, and in 32 bits beyond. Every conversion is seen at once, so
// that one counter takes them all: it passes 65535.
TEST(Capacity, OfTheCountsOfObservedDelaysIsPassedIn65536Rounds) {
  for (const std::int64_t horizon : {65535, 65536, 67000}) {
    const model::Experiment e = experiment(*policy::find("agnostic-ucb"), {{1.0, 0.995}, model::Geometric{1e-6}}, 3, horizon, 9);
    expect_the_references_paths(e, {.first = 0, .count = 1});
  }
}

// A queue is longest when everything comes at the end of the window: as long as the window and one more.
TEST(Capacity, OfAQueueIsTheWindowAndOneMore) {
  for (const char* id : {"qpmd-ucb", "qpmd-klucb", "sdb", "qpmd-ucb-naive"}) {
    for (const std::int64_t window : {1, 2, 3, 5, 8, 13}) {
      for (const std::int64_t delay : {std::int64_t{0}, window - 1, window, window + 1}) {
        for (const auto& theta : {std::vector{1.0, 1.0}, std::vector{1.0, 0.0}, std::vector{0.0, 0.0, 0.0}, std::vector{0.5, 1.0, 0.9}}) {
          const model::Experiment e = experiment(*policy::find(id), {theta, model::Constant{delay}}, window, 20 * window, 9);
          expect_the_references_paths(e, {.first = 0, .count = 3});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// A bucket of the calendar is a chain of chunks of 14 entries. With one delay for all and rates of 1 a round files as many as there are
// lanes, from less than a chunk to a chain of ten.
TEST(Capacity, OfAChunkOfTheCalendarIsPassedByMoreLanes) {
  for (const char* id : {"ud-ucb", "ud-agnostic-ucb"}) {
    for (const std::size_t lanes : {8u, 16u, 24u, 32u, 40u, 64u, 120u, 128u}) {
      for (const double rate : {1.0, 0.9, 0.6}) {
        const model::Experiment e = experiment(*policy::find(id), {{rate, rate - 0.05}, model::Constant{4}}, {}, 40, 9);
        expect_the_references_paths(e, {.first = 8, .count = lanes});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// No world needs more chunks than there are; the worst one, in which all lanes convert in all rounds, needs nearly all of them.
TEST(Capacity, OfTheCalendarIsNeverExceededAndNearlyReached) {
  const auto used = [](const char* id, const char* law, double rate) {
    const model::Experiment e = experiment(*policy::find(id), {{rate, rate * 0.99}, model::parse_delays(law)}, {}, 3000, 9);
    kernel::Workspace workspace;
    kernel::State& state = workspace.prepare(e, {.first = 0, .count = 128}, model::Exposure::buffer, model::Solver::direct);
    kernel::rounds<kernel::Baseline, false>(state, 1, e.horizon);
    const auto share = [](const auto& calendar) { return static_cast<double>(calendar.used) / calendar.capacity; };
    return state.world.tells_delays ? share(state.world.calendar_of_delays) : share(state.world.calendar);
  };
  for (const char* id : {"ud-ucb", "ud-agnostic-ucb"}) {
    for (const char* law : {"constant:200", "uniform:0..200", "geometric:20", "constant:200,constant:0", "constant:0,constant:200"}) {
      for (const double rate : {1.0, 0.3}) EXPECT_LE(used(id, law, rate), 1) << id << " " << law;
    }
    EXPECT_GT(used(id, "constant:200", 1.0), 0.95);
  }
}

}  // namespace
}  // namespace dbandit::testing
