#pragma once

#include <vector>

#include "kernel/leap/leaps.hpp"
#include "kernel/small_worlds.hpp"

/// Problems on which leaping is compared with playing round by round.
namespace dbandit::testing {

inline std::vector<policy::Entry> policies_that_leap() {
  std::vector<policy::Entry> leaping;
  for (const policy::Entry& entry : policy::catalogue()) {
    if (kernel::can_leap({.statistic = entry.statistic, .index = entry.index})) leaping.push_back(entry);
  }
  return leaping;
}

/// With a law of any kind for the world and, now and then, another one that the policy believes in.
inline model::Experiment random_leaping_experiment(const policy::Entry& entry, std::mt19937_64& random) {
  constexpr const char* kLaws[] = {"uniform:0..30", "constant:7",     "constant:0",    "negbin:3,20",           "mixture:0.3*2+0.7*20",
                                   "pareto:2,30",   "weibull:0.7,30", "lognormal:2,1", "empirical:5*0+3*4+2*60"};
  model::Experiment e = random_experiment(entry, random);
  e.rule.alpha = 0.5;  // below, PatientBandits does not leap
  switch (random() % 4) {
    case 0:
      e.problem.delay = model::parse_delays(kLaws[random() % std::size(kLaws)]);
      break;
    case 1: {
      std::vector<model::DelayLaw> laws;
      for (std::size_t arm = 0; arm < e.problem.theta.size(); ++arm) laws.emplace_back(model::Geometric{random() % 2 == 0 ? 4.0 : 40.0});
      e.problem.delay = model::Delays(laws);
      e.rule.radius = model::Radius::covering;
      break;
    }
    default:
      break;  // the geometric law that it has
  }
  if (random() % 8 == 0) e.assumed = model::Delays(model::Geometric{10});
  return e;
}

inline model::Exposure exact_exposure(const model::Experiment& e) {
  return model::has_recursion(e.believed()) ? model::Exposure::recursion : model::Exposure::buffer;
}

/// `problems` of one policy on every target, leaping from the first round that can be leapt, and from later ones.
inline void expect_the_references_paths_by_leaps(const policy::Entry& entry, int problems) {
  std::seed_seq seed(entry.id.begin(), entry.id.end());
  std::mt19937_64 random(seed);
  for (int problem = 0; problem < problems; ++problem) {
    model::Experiment e = random_leaping_experiment(entry, random);
    const model::Block block{.first = 8 * (random() % 1000), .count = 1 + random() % (problem % 8 == 0 ? 50 : 4)};
    Comparison comparison(e, block);
    e.leap_after = problem % 3 == 0 ? random() % 100 : 0;
    for (const kernel::Target& target : supported_targets()) {
      comparison.expect(simulate(target, e, block, exact_exposure(e)),
                        std::string(target.name) + " leaping after " + std::to_string(*e.leap_after));
      if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(comparison.near_ties, 0) << description(e);
  }
}

/// Whole pull sequences equal to those of the rounds engine, recorded regrets within 1e-9.
inline void expect_the_rounds_paths_by_leaps(model::Experiment e, const model::Block& block, const kernel::Target& target) {
  const model::Exposure exposure = exact_exposure(e);
  const model::Paths expected = simulate(target, e, block, exposure);
  e.leap_after = kernel::leap_after(e);
  const model::Paths actual = simulate(target, e, block, exposure);
  ASSERT_TRUE(actual.actions == expected.actions) << description(e);
  ASSERT_TRUE(actual.pulls == expected.pulls) << description(e);
  ASSERT_TRUE(actual.realised_regret == expected.realised_regret) << description(e);
  for (std::size_t i = 0; i < expected.regret.size(); ++i) {
    if (i % expected.lanes >= block.count) continue;
    ASSERT_NEAR(actual.regret[i], expected.regret[i], 1e-9 * (1 + expected.regret[i])) << description(e);
    ASSERT_NEAR(actual.pseudo_regret[i], expected.pseudo_regret[i], 1e-9 * (1 + expected.pseudo_regret[i])) << description(e);
  }
}

/// One arm of rate `best`, the others below, `arms` in all.
inline model::Experiment long_experiment(const policy::Entry& entry, std::size_t arms, double best, const char* law, std::int64_t horizon) {
  model::Problem problem{.theta = std::vector<double>(arms), .delay = model::parse_delays(law)};
  for (std::size_t arm = 0; arm < arms; ++arm)
    problem.theta[arm] = best * (arm == arms / 2 ? 1.0 : 0.8 - 0.5 * static_cast<double>(arm) / static_cast<double>(arms));
  model::Experiment e = experiment(entry, std::move(problem), 300, horizon, 7);
  e.at.clear();
  for (std::int64_t t = 10; t < horizon; t += 1 + t / 3) e.at.push_back(t);
  e.at.push_back(horizon);
  return e;
}

}  // namespace dbandit::testing
