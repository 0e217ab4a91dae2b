#include <gtest/gtest.h>

#include <cstring>

#include "kernel/small_worlds.hpp"
#include "model/geometric_fit.hpp"

/// Laws other than the geometric one, beliefs other than the truth, and arms with delays of their own: the fast engine against the
/// reference, on every target.
namespace dbandit::testing {
namespace {

/// Laws with a recursion and laws without; τ_0 = 0 and longer than the window come up.
constexpr const char* kLaws[] = {"geometric:20",
                                 "mixture:0.3*2+0.7*60",
                                 "mixture:0.5*0+0.25*1e-9+0.25*30",
                                 "uniform:0..0",
                                 "uniform:0..30",
                                 "uniform:0..400",
                                 "constant:0",
                                 "constant:5",
                                 "constant:60",
                                 "negbin:1,9",
                                 "negbin:3,40",
                                 "negbin:12,30",
                                 "weibull:0.7,30",
                                 "lognormal:2,1.5",
                                 "pareto:0.8,5",
                                 "empirical:5*0+3*4+2*90",
                                 "criteo:minutes=60",
                                 "mixture:0.9*500+0.1*5"};

model::DelayLaw any_law(std::mt19937_64& random) { return model::parse_delay_law(kLaws[random() % std::size(kLaws)]); }

/// One law, or one for each arm; with `mixtures` only such as have a recursion.
model::Delays any_delays(std::mt19937_64& random, std::size_t arms) {
  if (random() % 3 != 0) return any_law(random);
  std::vector<model::DelayLaw> laws;
  const bool mixtures = random() % 2 == 0;
  while (laws.size() < arms) {
    const model::DelayLaw law = any_law(random);
    if (!mixtures || model::has_recursion(std::vector<model::DelayLaw>{law, law})) laws.push_back(law);
  }
  return laws;
}

/// Believed as it is, or something else.
model::Experiment any_experiment(const policy::Entry& entry, std::mt19937_64& random) {
  model::Experiment e = random_experiment(entry, random);
  const std::size_t arms = e.problem.theta.size();
  e.problem.delay = any_delays(random, arms);
  if (random() % 2 == 0) e.assumed = any_delays(random, arms);
  if (!e.believed().common()) e.rule.radius = model::Radius::covering;
  return e;
}

std::vector<model::Exposure> exact_exposures(const model::Experiment& e) {
  if (model::has_recursion(e.believed())) return {model::Exposure::recursion, model::Exposure::buffer};
  return {model::Exposure::buffer};
}

template <class Rows>
bool same(const Rows& a, const Rows& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

class AnyDelays : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, AnyDelays, EachPolicy(), kPolicyName);

// The regret is the world's whatever is believed: `regret` of the paths is compared too. All targets give the same bytes.
TEST_P(AnyDelays, GiveTheReferencesPathsOnEveryTarget) {
  std::seed_seq seed(GetParam().id.begin(), GetParam().id.end());
  std::mt19937_64 random(seed);
  int near_ties = 0;
  for (int problem = 0; problem < 120; ++problem) {
    const model::Experiment e = any_experiment(GetParam(), random);
    const model::Block block{.first = 8 * (random() % 1000), .count = 1 + random() % (problem % 8 == 0 ? 50 : 4)};
    Comparison comparison(e, block);
    for (const model::Exposure exposure : exact_exposures(e)) {
      const model::Paths baseline = simulate(kernel::targets().back(), e, block, exposure);
      comparison.expect(baseline, description(kernel::targets().back(), exposure, model::Solver::direct));
      if (HasFatalFailure()) return;
      for (const kernel::Target& target : supported_targets()) {
        const model::Paths paths = simulate(target, e, block, exposure);
        ASSERT_TRUE(same(paths.actions, baseline.actions) && same(paths.regret, baseline.regret) &&
                    same(paths.realised_regret, baseline.realised_regret))
            << target.name << '\n'
            << description(e);
      }
    }
    near_ties += comparison.near_ties;
  }
  EXPECT_LE(near_ties, 1);
}

/// Uniform play between two arms, θ = (2^-10, 0): the regret is 2^-10 Ñ of the second.
constexpr double kGap = 0x1p-10;
model::Experiment experiment_under(const char* law, const model::Window& window, std::int64_t horizon) {
  model::Experiment e =
      experiment(*policy::find(window ? "d-ucb" : "ud-ucb"), {{kGap, 0}, model::parse_delay_law(law)}, window, horizon, 3);
  e.rule.epsilon = 1e4;  // both arms stay in play
  e.at = {1, 63, 64, 65, 1000, horizon / 2, horizon};
  return e;
}

/// The largest |Ñ − definition| of the second arm over the recorded rounds.
double exposure_error(const model::Experiment& e, const model::Paths& paths) {
  double worst = 0;
  for (std::size_t row = 0; row < e.at.size(); ++row) {
    long double sum = 0;
    for (std::int64_t s = 1; s <= e.at[row]; ++s) {
      if (paths.actions[static_cast<std::size_t>(s - 1) * paths.lanes] == 1)
        sum += model::cdf(e.problem.delay, visible_age(e.window, e.at[row], s));
    }
    worst = std::max(worst, std::abs(paths.regret[row * paths.lanes] / kGap - static_cast<double>(sum)));
  }
  return worst;
}

struct Recursion {
  const char* law;
  model::Window window;
  friend void PrintTo(const Recursion& one, std::ostream* out) { *out << one.law << " window " << one.window.value_or(0); }
};
class RecursionOf : public ::testing::TestWithParam<Recursion> {};
INSTANTIATE_TEST_SUITE_P(Kernel, RecursionOf,
                         ::testing::Values(Recursion{"criteo:minutes=10", 4320}, Recursion{"criteo:minutes=10", {}},
                                           Recursion{"mixture:0.2*5+0.8*5000", 2000}, Recursion{"mixture:0.5*0+0.5*10", 20},
                                           Recursion{"mixture:0.5*0+0.5*10", {}}, Recursion{"uniform:0..3000", {}},
                                           Recursion{"uniform:0..3000", 1000}, Recursion{"constant:500", {}},
                                           Recursion{"constant:500", 500}, Recursion{"negbin:3,500", {}}, Recursion{"negbin:3,500", 800}));

TEST_P(RecursionOf, IsTheDefinitionOverManyRounds) {
  const model::Experiment e = experiment_under(GetParam().law, GetParam().window, 60'000);
  const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 1});
  EXPECT_GT(paths.pulls[paths.lanes], 0.3 * static_cast<double>(e.horizon));
  EXPECT_LT(exposure_error(e, paths), 2e-9) << GetParam().law;
}

TEST(ApproximateExposure, IsWithinTheCertifiedErrorTimesThePulls) {
  for (const char* law : {"weibull:0.7,400", "lognormal:5,1.5", "pareto:2,500"}) {
    for (const model::Window& window : {model::Window{}, model::Window{3000}}) {
      model::Experiment e = experiment_under(law, window, 20'000);
      e.tolerance = 1e-4;
      const double certified = model::fit_geometrics(e.problem.delay, window.value_or(e.horizon), e.tolerance)->error;
      ASSERT_LE(certified, e.tolerance);
      const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 1}, model::Exposure::approx);
      EXPECT_LE(exposure_error(e, paths), certified * paths.pulls[paths.lanes]) << law;
      EXPECT_GT(exposure_error(e, paths), 0) << law;
    }
  }
}

// constant:5 shows nothing for five rounds: clamped indices are 1 and unclamped ones infinite, so all arms tie in both engines.
TEST(NoExposureYet, LeavesTheChoiceToTheTieKeys) {
  for (const char* policy : {"ud-ucb", "ud-klucb"}) {
    for (const model::Clamp clamp : {model::Clamp::one, model::Clamp::none}) {
      model::Experiment e = experiment(*policy::find(policy), {{0.9, 0.1, 0.1}, model::Constant{5}}, {}, 12, 5);
      e.rule.clamp = clamp;
      e.at = every_round(12);
      Comparison comparison(e, {.first = 0, .count = 200});
      const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 200});
      comparison.expect(paths, policy);
      // Rounds 4 and 5 are decided without any knowledge: each arm about as often, within 4 standard errors.
      for (std::size_t arm = 0; arm < 3; ++arm) {
        double chosen = 0;
        for (std::size_t lane = 0; lane < 200; ++lane) {
          for (const std::size_t round : {3u, 4u}) chosen += paths.actions[round * paths.lanes + lane] == arm;
        }
        EXPECT_NEAR(chosen, 400.0 / 3, 4 * std::sqrt(400 * 2.0 / 9)) << policy;
      }
    }
  }
}

// A worse arm that discloses at once is ahead of the best arm's conversions, which are still under way.
TEST(RealisedRegret, MayBeNegativeOnlyWhereDelaysDependOnTheArm) {
  model::Experiment e = experiment(*policy::find("uniform"), {{0.9, 0.8}, model::parse_delays("constant:50,constant:0")}, {}, 40, 5);
  const model::Paths apart = simulate(kernel::best_target(), e, {.first = 0, .count = 8});
  for (std::size_t lane = 0; lane < 8; ++lane) EXPECT_LT(apart.realised_regret[lane], 0);
  e.problem.delay = model::Constant{5};
  const model::Paths alike = simulate(kernel::best_target(), e, {.first = 0, .count = 8});
  for (std::size_t lane = 0; lane < 8; ++lane) EXPECT_GE(alike.realised_regret[lane], 0);
}

}  // namespace
}  // namespace dbandit::testing
