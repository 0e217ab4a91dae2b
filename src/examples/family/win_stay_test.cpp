#include <gtest/gtest.h>

#include "kernel/small_worlds.hpp"

namespace dbandit::testing {
namespace {

/// The row of the catalogue.
constexpr policy::Entry kWinStay = {"win-stay",
                                    policy::Setting::as_given,
                                    model::Statistic::uncorrected,
                                    model::IndexForm::ucb,
                                    "an arm is played for as long as its conversions show (Robbins 1952)",
                                    "win-stay"};

TEST(Adding, AFamilyWithAStateOfItsOwnPlaysAsItsLiteralFormOnEveryTarget) {
  expect_the_references_paths(kWinStay, 100, 0, [](int, model::Solver solver) { return solver == model::Solver::direct; });
}

// Both would agree if both fell back to UCB.
TEST(Adding, ItIsTheOneThatPlays) {
  const model::Experiment e = experiment(kWinStay, {{0.0, 0.0}, model::Geometric{1}}, 5, 60);
  const model::Paths played = simulate(kernel::best_target(), e, {.first = 0, .count = 1});
  for (std::size_t t = 1; t <= 60; ++t) EXPECT_EQ(played.actions[(t - 1) * played.lanes] == played.actions[0], t / 20 % 2 == 0) << t;
}

}  // namespace
}  // namespace dbandit::testing
