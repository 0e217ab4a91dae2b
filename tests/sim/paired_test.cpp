#include "sim/paired.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "reference/simulate.hpp"
#include "sim/executors.hpp"
#include "sim/plan.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

Settings small() { return by_reference(small_problem(60, {"d-ucb", "d-klucb"}, 300, {60})); }

/// Final regret of each replica, by the reference.
std::vector<double> regrets(const Spec& spec, const Policy& policy) {
  std::vector<double> all;
  const Plan blocks = plan(spec);
  for (std::size_t b = 0; b < blocks.blocks; ++b) {
    model::Paths paths;
    reference::simulate(experiment(spec, policy), blocks.block(b), spec.exposure(), paths);
    all.insert(all.end(), paths.regret.begin(), paths.regret.begin() + static_cast<std::ptrdiff_t>(blocks.block(b).count));
  }
  return all;
}

TEST(SameWorlds, NeedTheSameRatesDelaysAndSeed) {
  EXPECT_TRUE(same_worlds(small(), small()));
  Settings other = small();
  other.censor = 20;
  other.policies = {"uniform"};
  other.replicas = 1;
  other.epsilon = 0.5;
  EXPECT_TRUE(same_worlds(small(), other)) << "what only the player knows is not the world";
  other = small();
  other.theta[1] = 0.31;
  EXPECT_FALSE(same_worlds(small(), other));
  other = small();
  other.seed = 2;
  EXPECT_FALSE(same_worlds(small(), other));
  other = small();
  other.delay = model::Geometric{6};
  EXPECT_FALSE(same_worlds(small(), other));
  other.delay = model::Delays(std::vector<model::DelayLaw>{model::Geometric{5}, model::Geometric{6}});
  EXPECT_FALSE(same_worlds(small(), other)) << "of one arm";
}

TEST(PairedDifferences, AreThoseOfEachReplicaOverAsManyAsBothHave) {
  Settings longer = small(), shorter = small();
  longer.epsilon = 0.5;
  shorter.replicas = 200;
  for (const bool first_is_longer : {true, false}) {
    const Settings &a = first_is_longer ? longer : shorter, &b = first_is_longer ? shorter : longer;
    for (const Executor executor : executors()) {
      const auto found = paired_differences(a, b, a.policies, {.threads = 2, .executor = executor});
      ASSERT_EQ(found.size(), 2U);
      for (std::size_t p = 0; p < 2; ++p) {
        const std::vector<double> of_a = regrets(a, a.policies[p]), of_b = regrets(b, a.policies[p]);
        double mean = 0, m2 = 0;
        for (std::size_t r = 0; r < 200; ++r) mean += (of_b[r] - of_a[r]) / 200;
        for (std::size_t r = 0; r < 200; ++r) m2 += (of_b[r] - of_a[r] - mean) * (of_b[r] - of_a[r] - mean);
        EXPECT_EQ(found[p].count, 200);
        EXPECT_NEAR(found[p].mean, mean, 1e-12);
        EXPECT_NEAR(found[p].variance * 199, m2, 1e-9);
        EXPECT_GT(m2, 0) << "or nothing was compared";
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::sim
