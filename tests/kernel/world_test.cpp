#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "kernel/internals.hpp"
#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// What the fast engine draws ahead of the rounds: the conversions that can happen and their delays.
namespace dbandit::testing {
namespace {

// Every lane of every round converts on the best arm, so every delay is drawn. The longer the law, the more the floor of a real number of
// that size asks of the logarithm before it.
TEST(World, ADelayIsTheInverseCdfAtItsAddressHoweverLongTheLaw) {
  // Of the longest laws the logarithm's last bits are whole rounds: there nothing but the exact inverse can be right.
  for (const double mean : {0.0, 1e-9, 0.3, 20.0, 500.0, 5000.0, 1e6, 1e7, 1e11, 1e13}) {
    const model::Experiment e = experiment(*policy::find("uniform"), {{1.0, 0.5}, model::Geometric{mean}}, 1000, 400, 8);
    kernel::Workspace workspace;
    kernel::State& state = workspace.prepare(e, {.first = 24, .count = 128}, model::Exposure::recursion, model::Solver::direct);
    for (std::int64_t round = 1; round <= e.horizon; round += kernel::Draws::kBatch) {
      kernel::rounds<kernel::Baseline, false>(state, round, round + kernel::Draws::kBatch - 1);
      ASSERT_EQ(state.world.draws.slice[kernel::Draws::kBatch], 128u * kernel::Draws::kBatch);
      for (std::size_t i = 0; i < state.world.draws.slice[kernel::Draws::kBatch]; ++i) {
        const double v = rng::open_uniform(rng::delay_bits(e.seed, state.world.draws.replica[i], state.world.draws.round[i]));
        ASSERT_EQ(state.world.draws.delay[i], static_cast<double>(model::delay_at(e.problem.delay, v))) << "mean " << mean << " v " << v;
      }
    }
  }
}

// The list may name a lane whose 16 leading bits leave it open; what counts is that it misses nobody and has the whole uniform.
TEST(World, EveryUniformBelowTheBestRateIsListedOnceWithAllItsBits) {
  for (const double best : {1e-9, 1.0 / 65536, 0.1, 0.5, 0.99999, 1.0}) {
    const model::Experiment e = experiment(*policy::find("uniform"), {{best / 2, best}, model::Geometric{3}}, 1000, 80, 9);
    const std::uint64_t threshold = rng::conversion_threshold(best);
    for (const std::size_t lanes : {8u, 16u, 40u, 64u, 72u, 128u}) {
      kernel::Workspace workspace;
      kernel::State& state = workspace.prepare(e, {.first = 8000, .count = lanes}, model::Exposure::recursion, model::Solver::direct);
      for (std::int64_t round = 1; round <= e.horizon; round += kernel::Draws::kBatch) {
        kernel::rounds<kernel::Baseline, false>(state, round, round + kernel::Draws::kBatch - 1);
        std::set<std::pair<std::uint64_t, std::uint64_t>> listed;
        for (std::size_t i = 0; i < state.world.draws.slice[kernel::Draws::kBatch]; ++i) {
          ASSERT_TRUE(listed.emplace(state.world.draws.round[i], state.world.draws.replica[i]).second);
          ASSERT_EQ(state.world.draws.uniform[i], rng::conversion_bits(e.seed, state.world.draws.replica[i], state.world.draws.round[i]));
        }
        for (std::uint64_t t = static_cast<std::uint64_t>(round); t < static_cast<std::uint64_t>(round) + kernel::Draws::kBatch; ++t) {
          for (std::uint64_t replica = 8000; replica < 8000 + lanes; ++replica) {
            ASSERT_TRUE(rng::conversion_bits(e.seed, replica, t) >= threshold || listed.contains({t, replica})) << replica << " " << t;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
