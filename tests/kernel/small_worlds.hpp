#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/targets.hpp"
#include "reference/learner.hpp"
#include "reference/worlds.hpp"

/// Small random problems, and the fast engine's paths against the reference's on them.
namespace dbandit::testing {

/// A policy on a problem with 1 to 9 arms and up to 300 rounds; rates of 0 and 1, equal rates, windows of 1 and beyond the horizon, and
/// every option of a rule come up.
inline model::Experiment random_experiment(const policy::Entry& entry, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto one_of = [&]<class T>(std::initializer_list<T> values) { return values.begin()[below(values.size())]; };

  model::Problem problem{.theta = std::vector<double>(1 + below(9)),
                         .delay = model::Geometric{one_of({0.0, 1e-9, 0.02, 0.3, 1.0, 5.0, 20.0, 100.0, 500.0})}};
  const double scale = one_of({1.0, 0.1});
  for (double& theta : problem.theta) theta = below(12) == 0 ? one_of({0.0, 1.0}) : scale * static_cast<double>(below(100)) / 100;

  const auto arms = static_cast<std::int64_t>(problem.theta.size());
  const auto horizon = std::max(arms, static_cast<std::int64_t>(1 + below(300)));
  const model::Window window = one_of({1, 2, 5, 20, 50, 100, 1000});
  model::Experiment e = experiment(entry, std::move(problem), window, horizon, random());
  if (entry.setting == policy::Setting::as_given && below(2) == 0) e.window.reset();
  e.rule.clamp = one_of({model::Clamp::one, model::Clamp::one, model::Clamp::none});
  e.rule.ties = one_of({model::Ties::random, model::Ties::random, model::Ties::random, model::Ties::lowest});
  e.rule.start = one_of({model::StartOrder::permuted, model::StartOrder::permuted, model::StartOrder::permuted, model::StartOrder::fixed});
  e.rule.radius = one_of({model::Radius::covering, model::Radius::paper});
  e.rule.epsilon = one_of({0.0, 0.0, 0.5, 30.0});
  e.rule.gamma = one_of({1.0, 0.7, 0.5});
  e.rule.prior_shape = one_of({1.0, 0.5, 2.5});
  e.rule.prior_rate = one_of({1.0, 0.01});
  if (entry.index == model::IndexForm::patient) e.rule.alpha = one_of({0.5, 0.5, 0.1, 0.3, 0.9});
  e.at.clear();
  for (std::int64_t t = 1; t < horizon; t += static_cast<std::int64_t>(1 + below(40))) e.at.push_back(t);
  e.at.push_back(horizon);
  return e;
}

inline std::string description(const model::Experiment& e) {
  std::ostringstream text;
  text << "theta";
  for (const double theta : e.problem.theta) text << ' ' << theta;
  text << ", " << model::delays_text(e.problem.delay) << " believed " << model::delays_text(e.believed()) << ", window "
       << (e.window ? std::to_string(*e.window) : "none") << ", horizon " << e.horizon << ", seed " << e.seed << ", epsilon "
       << e.rule.epsilon << ", gamma " << e.rule.gamma << ", statistic " << static_cast<int>(e.rule.statistic) << ", index "
       << static_cast<int>(e.rule.index) << ", clamp " << static_cast<int>(e.rule.clamp) << ", ties " << static_cast<int>(e.rule.ties)
       << ", start " << static_cast<int>(e.rule.start) << ", radius " << static_cast<int>(e.rule.radius);
  return text.str();
}

/// How far apart, relatively, the reference sees the two largest indices in a round of its own path; 0 while the order is given; 1 where
/// no index decides.
inline double lead(const model::Experiment& e, const model::Paths& path, std::uint64_t replica, std::size_t lane, std::int64_t round) {
  reference::Learner learner(e, model::Exposure::history);
  for (std::int64_t s = 1; s < round; ++s) {
    const std::size_t arm = path.actions[static_cast<std::size_t>(s - 1) * path.lanes + lane];
    const Draw d = draw(e, replica, s, arm);
    learner.play(arm, d.converts(e.problem.theta[arm]), d.delay);
  }
  std::vector<double> indices;
  if (e.rule.index == model::IndexForm::imed) {
    indices = reference::imed_indices(learner.statistics());
    std::sort(indices.begin(), indices.end());
    return indices.size() < 2 ? 1 : (indices[1] - indices[0]) / (1 + std::abs(indices[0]));
  }
  if (reference::index(e.rule, {.conversions = 1, .exposure = 1, .pulls = 1}, 1) == 0) return 1;
  for (const auto& arm : learner.statistics())
    indices.push_back(reference::index(e.rule, arm, reference::exploration(e.rule.epsilon, round)));
  std::sort(indices.rbegin(), indices.rend());
  return indices.size() < 2 ? 1 : (indices[0] - indices[1]) / indices[0];
}

/// Whether the paths of a block are those of the reference: actions and pulls equal, regrets within 1e-9. A lane may leave the reference's
/// path only in a round where the two largest indices are closer than 1e-9; `near_ties` counts these.
class Comparison {
 public:
  static constexpr double kNear = 1e-9;

  Comparison(const model::Experiment& e, const model::Block& block, model::Exposure exposure = model::Exposure::history)
      : e_(e), block_(block) {
    expected_.traced = true;
    reference::simulate(e, block, exposure, expected_);
  }

  void expect(const model::Paths& paths, const std::string& what) {
    ASSERT_EQ(paths.lanes, expected_.lanes);
    for (std::size_t lane = 0; lane < block_.count; ++lane) {
      const std::int64_t parted = first_difference(paths, lane);
      if (parted <= e_.horizon) {
        const double apart = lead(e_, expected_, block_.first + lane, lane, parted);
        ASSERT_LT(apart, kNear) << what << ": lane " << lane << " leaves in round " << parted << "\n" << description(e_);
        ++near_ties;
      }
      for (std::size_t row = 0; row < e_.at.size() && e_.at[row] < parted; ++row) {
        const std::size_t cell = row * paths.lanes + lane;
        const auto where = [&] {
          return what + ": lane " + std::to_string(lane) + " round " + std::to_string(e_.at[row]) + "\n" + description(e_);
        };
        ASSERT_NEAR(paths.regret[cell], expected_.regret[cell], kNear) << where();
        ASSERT_NEAR(paths.pseudo_regret[cell], expected_.pseudo_regret[cell], kNear) << where();
        ASSERT_EQ(paths.realised_regret[cell], expected_.realised_regret[cell]) << where();
      }
      if (parted <= e_.horizon) continue;
      for (std::size_t cell = lane; cell < paths.pulls.size(); cell += paths.lanes)
        ASSERT_EQ(paths.pulls[cell], expected_.pulls[cell]) << what;
    }
  }

  int near_ties = 0;

 private:
  /// The first round in which the lane plays another arm; beyond the horizon if there is none.
  std::int64_t first_difference(const model::Paths& paths, std::size_t lane) const {
    std::int64_t t = 1;
    for (std::size_t cell = lane; t <= e_.horizon && paths.actions[cell] == expected_.actions[cell]; cell += paths.lanes) ++t;
    return t;
  }

  model::Experiment e_;
  model::Block block_;
  model::Paths expected_;
};

inline std::string description(const kernel::Target& target, model::Exposure exposure, model::Solver solver) {
  return std::string(target.name) + " exposure " + std::to_string(static_cast<int>(exposure)) + " solver " +
         std::to_string(static_cast<int>(solver));
}

/// Problems of one policy on every target, with both exposures and with the solvers that `takes` a problem's number; a policy's seed is its
/// name. Expects no more than `most` near ties.
template <class Takes>
void expect_the_references_paths(const policy::Entry& entry, int problems, int most, Takes takes) {
  std::seed_seq seed(entry.id.begin(), entry.id.end());
  std::mt19937_64 random(seed);
  int near_ties = 0;
  for (int problem = 0; problem < problems; ++problem) {
    const model::Experiment e = random_experiment(entry, random);
    const model::Block block{.first = 8 * (random() % 1000), .count = 1 + random() % (problem % 8 == 0 ? 50 : 4)};
    Comparison comparison(e, block);
    for (const kernel::Target& target : supported_targets()) {
      for (const model::Exposure exposure : kExposures) {
        for (const model::Solver solver : kSolvers) {
          if (!takes(problem, solver)) continue;
          comparison.expect(simulate(target, e, block, exposure, solver), description(target, exposure, solver));
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
    near_ties += comparison.near_ties;
  }
  ::testing::Test::RecordProperty("near_ties", near_ties);
  EXPECT_LE(near_ties, most);
}

}  // namespace dbandit::testing
