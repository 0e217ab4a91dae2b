#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "kernel/targets.hpp"
#include "statistics/monte_carlo.hpp"

/// Thompson sampling on two arms: with whole shapes the chance that the first arm's sample is the larger has a closed form, so every path
/// of a few rounds can be weighted exactly. Nothing here draws or calls the samplers.
namespace dbandit::testing {
namespace {

/// P(X/r > Y/s), X ~ Gamma(a), Y ~ Gamma(b): X/(X + Y) ~ Beta(a, b) must be above r/(r + s).
double gamma_beats(double a, double r, double b, double s) { return boost::math::ibetac(a, b, r / (r + s)); }

/// P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), whole shapes: Σ_{i < a} B(c + i, b + d) / ((b + i) B(1 + i, b) B(c, d)).
double beta_beats(double a, double b, double c, double d) {
  using boost::math::beta;
  double chance = 0;
  for (double i = 0; i < a; ++i) chance += beta(c + i, b + d) / ((b + i) * beta(1 + i, b) * beta(c, d));
  return chance;
}

/// The chance of the first arm in the next round.
double chance_of_first(const model::Rule& rule, const std::vector<reference::ArmStatistics>& arms) {
  const auto &x = arms[0], &y = arms[1];
  const double a = rule.prior_shape, b = rule.prior_rate;
  if (rule.statistic == model::Statistic::matured)
    return beta_beats(a + x.conversions, b + x.pulls - x.conversions, a + y.conversions, b + y.pulls - y.conversions);
  return gamma_beats(a + x.conversions, b + x.exposure, a + y.conversions, b + y.exposure);
}

/// What Enumeration asks a learner, where the draw is over both arms: `follow` with a weight for each.
struct Exact {
  model::Experiment e;
  std::vector<double> gaps;
  std::vector<double> tau;
  double regret = 0, pulls_of_second = 0, mass = 0;

  explicit Exact(const model::Experiment& experiment)
      : e(experiment),
        gaps(reference::gaps(experiment.problem)),
        tau(reference::visibilities(experiment.problem.delay, experiment.window, experiment.horizon).front()) {
    for (const std::vector<std::size_t>& start : {std::vector<std::size_t>{0, 1}, std::vector<std::size_t>{1, 0}})
      follow(reference::Learner(e, model::Exposure::history), start, 0.5);
  }

  void follow(const reference::Learner& learner, const std::vector<std::size_t>& start, double probability) {
    const std::int64_t t = learner.round() + 1;
    if (t > e.horizon) {
      mass += probability;
      regret += probability * reference::regret(gaps, learner.actions(), tau);
      for (const auto arm : learner.actions()) pulls_of_second += arm == 1 ? probability : 0;
      return;
    }
    const bool maturing = e.rule.statistic == model::Statistic::matured && t <= *e.window + 2;
    const bool given = t <= 2 || maturing;
    const double first =
        given ? (start[static_cast<std::size_t>((t - 1) % 2)] == 0 ? 1 : 0) : chance_of_first(e.rule, learner.statistics());
    for (const std::size_t arm : {0, 1}) {
      const double chosen = probability * (arm == 0 ? first : 1 - first), theta = e.problem.theta[arm];
      if (chosen == 0) continue;
      after(learner, start, arm, false, 0, chosen * (1 - theta));
      const model::DelayLaw& delay = e.problem.delay[arm];
      std::int64_t d = 0;
      for (; d <= e.horizon - t && d <= e.window.value_or(d); ++d)
        after(learner, start, arm, true, d, chosen * theta * (model::cdf(delay, d) - model::cdf(delay, d - 1)));
      after(learner, start, arm, true, d, chosen * theta * model::survival(delay, d - 1));
    }
  }
  void after(const reference::Learner& learner, const std::vector<std::size_t>& start, std::size_t arm, bool converts, std::int64_t delay,
             double probability) {
    if (probability == 0) return;
    reference::Learner next = learner;
    next.play(arm, converts, delay);
    follow(next, start, probability);
  }
};

TEST(Samplers, ChancesOfTheirPosteriorsAreTheClosedForms) {
  EXPECT_DOUBLE_EQ(gamma_beats(1, 2, 1, 3), 0.6);  // two exponentials: s/(r + s)
  EXPECT_DOUBLE_EQ(beta_beats(1, 1, 1, 1), 0.5);
  EXPECT_NEAR(beta_beats(2, 1, 1, 1), 2.0 / 3, 1e-15);  // E[X] of Beta(2, 1)
}

class SamplersExact : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(MonteCarlo, SamplersExact, ::testing::Values("d-ts", "ud-ts", "uncorrected-ts", "agnostic-ts", "discard-ts"),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// T = 6, a window of 2; 100 000 replicas on every target, 4.5 standard errors.
TEST_P(SamplersExact, ExpectationsAreTheMeansOfTheSimulation) {
  const std::size_t replicas = 100'000;
  model::Experiment e = experiment(*policy::find(GetParam()), {{0.25, 0.5}, model::Geometric{1}}, 2, 6, 5);
  e.rule.prior_rate = 2;
  const Exact exact(e);
  ASSERT_NEAR(exact.mass, 1, 1e-12);
  for (const kernel::Target& target : supported_targets()) {
    const model::Paths p = simulate(target, e, {.first = 0, .count = replicas}, model::Exposure::recursion, model::Solver::direct, false);
    EXPECT_LT(std::abs(z_score(row(p.regret, p, 0, replicas), exact.regret)), kSigmas) << target.name;
    EXPECT_LT(std::abs(z_score(row(p.pulls, p, 1, replicas), exact.pulls_of_second)), kSigmas) << target.name;
  }
  // The comparison can fail: another prior is rejected.
  e.rule.prior_shape = 10;
  const model::Paths p = simulate(kernel::best_target(), e, {.first = 0, .count = replicas});
  EXPECT_GT(std::abs(z_score(row(p.regret, p, 0, replicas), exact.regret)), 4.5);
}

}  // namespace
}  // namespace dbandit::testing
