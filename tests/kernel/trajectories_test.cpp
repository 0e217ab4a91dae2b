#include <gtest/gtest.h>

#include "kernel/small_worlds.hpp"

/// Whole trajectories of the fast engine equal the reference's.
namespace dbandit::testing {
namespace {

class Trajectories : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, Trajectories, EachPolicy(), kPolicyName);

// 300 problems of each policy. The slower solvers take turns; UCB has none.
TEST_P(Trajectories, AreTheReferencesOnSmallRandomProblems) {
  const bool solves = GetParam().index == model::IndexForm::klucb;
  expect_the_references_paths(GetParam(), 300, 1, [&](int problem, model::Solver solver) {
    return solver == model::Solver::direct || (solves && problem % 6 == (solver == model::Solver::newton ? 1 : 4));
  });
}

struct Size {
  std::size_t arms;
  std::int64_t horizon;
};

// Arm ids take 8 bits up to 256 arms and 16 beyond; the books are kept in rows up to 4 arms and in cells beyond.
// Where there are many arms for the window, most have all their pulls behind it and tie with others.
TEST_P(Trajectories, AreTheReferencesForAnyNumberOfArms) {
  std::mt19937_64 random(4);
  for (const auto& [arms, horizon] : {Size{1, 40}, Size{2, 60}, Size{4, 80}, Size{5, 80}, Size{10, 150}, Size{40, 600}, Size{100, 250},
                                      Size{256, 300}, Size{257, 300}, Size{300, 350}, Size{1000, 1040}}) {
    model::Problem problem{.theta = std::vector<double>(arms), .delay = model::Geometric{7}};
    for (double& theta : problem.theta) theta = static_cast<double>(random() % 1000) / 1000;
    model::Experiment e = experiment(GetParam(), std::move(problem), 12, horizon, 9);
    e.at = {1, std::max<std::int64_t>(2, horizon / 2), horizon};
    const model::Block block{.first = 16, .count = arms < 100 ? 11u : 2u};
    Comparison comparison(e, block);
    for (const kernel::Target& target : supported_targets()) {
      for (const model::Exposure exposure : kExposures) {
        comparison.expect(simulate(target, e, block, exposure), description(target, exposure, model::Solver::direct));
        if (HasFatalFailure()) return;
      }
    }
    EXPECT_EQ(comparison.near_ties, 0) << arms;
  }
}

}  // namespace
}  // namespace dbandit::testing
