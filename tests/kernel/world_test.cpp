#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/internals.hpp"
#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// What the fast engine draws ahead of the rounds: the conversions that can happen and their delays.
namespace dbandit::testing {
namespace {

/// Runs a block batch by batch and shows the draws of each.
template <class See>
void for_each_batch(const model::Experiment& e, std::uint64_t first, std::size_t lanes, See see) {
  kernel::Workspace workspace;
  kernel::State& state = workspace.prepare(e, {.first = first, .count = lanes}, model::Exposure::recursion, model::Solver::direct);
  const kernel::Draws& draws = state.world.draws;
  for (std::int64_t round = 1; round <= e.horizon; round = draws.end) {
    kernel::rounds<kernel::Baseline, false>(state, round, round);
    ASSERT_EQ(draws.first, round);
    if (draws.end > round + 1) kernel::rounds<kernel::Baseline, false>(state, round + 1, std::min(draws.end - 1, e.horizon));
    see(draws);
  }
}

// Every round is a candidate, so every delay is drawn. The longer the law, the more the floor of a real number of that size asks of the
// logarithm before it.
TEST(World, ADelayIsTheInverseCdfAtItsAddressHoweverLongTheLaw) {
  // Of the longest laws the logarithm's last bits are whole rounds: there nothing but the exact inverse can be right.
  for (const double mean : {0.0, 1e-9, 0.3, 20.0, 500.0, 5000.0, 1e6, 1e7, 1e11, 1e13}) {
    const model::Experiment e = experiment(*policy::find("uniform"), {{1.0, 0.5}, model::Geometric{mean}}, 1000, 400, 8);
    for_each_batch(e, 24, 128, [&](const kernel::Draws& draws) {
      const std::size_t count = draws.slice[draws.end - draws.first];
      ASSERT_EQ(count, 128u * static_cast<std::size_t>(draws.end - draws.first));
      for (std::size_t i = 0; i < count; ++i) {
        const double v = rng::open_uniform(rng::delay_bits(e.seed, draws.replica[i], draws.round[i]));
        ASSERT_EQ(draws.delay[i], static_cast<double>(model::delay_at(e.problem.delay, v))) << "mean " << mean << " v " << v;
      }
    });
  }
}

TEST(World, EveryCandidateIsListedOnceInItsRoundWithItsMark) {
  for (const double best : {1e-9, 1.0 / 65536, 0.01, 0.1, 0.5, 0.99999, 1.0}) {
    const model::Experiment e = experiment(*policy::find("uniform"), {{best / 2, best}, model::Geometric{3}}, 1000, 300, 9);
    const auto candidates = rng::Candidates::of(e.seed, e.problem.theta);
    for (const std::size_t lanes : {1u, 8u, 16u, 40u, 63u, 64u, 72u, 128u, 200u}) {
      for_each_batch(e, 8000, lanes, [&](const kernel::Draws& draws) {
        std::size_t at = 0;
        for (std::int64_t t = draws.first; t < draws.end; ++t) {
          ASSERT_EQ(draws.begin_of(t), at);
          for (std::uint64_t replica = 8000; replica < 8000 + lanes; ++replica) {
            if (!candidates.at(replica, static_cast<std::uint64_t>(t))) continue;
            ASSERT_LT(at, draws.end_of(t));
            ASSERT_EQ(draws.replica[at], replica);
            ASSERT_EQ(draws.round[at], static_cast<std::uint64_t>(t));
            ASSERT_EQ(draws.mark[at++], candidates.mark(replica, static_cast<std::uint64_t>(t)));
          }
          ASSERT_EQ(draws.end_of(t), at);
        }
      });
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
