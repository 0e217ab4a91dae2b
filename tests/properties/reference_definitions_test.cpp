#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "reference/learner.hpp"

/// The learner's running counts against the definitions of §2 and §5.1, written out as sums over the whole record, at every round of
/// random histories. The arms are drawn, not chosen, so the comparison does not lean on any index.
namespace dbandit::reference {
namespace {

using model::Statistic;

struct Pull {
  std::size_t arm;
  bool converts;
  std::int64_t delay;
};

struct RandomCase {
  model::Experiment experiment;
  std::vector<Pull> record;
};

RandomCase random_case(std::mt19937_64& random) {
  const auto pick = [&](auto... values) {
    const std::common_type_t<decltype(values)...> list[] = {values...};
    return list[random() % sizeof...(values)];
  };
  const std::size_t arms = 1 + random() % 5;
  const auto horizon = static_cast<std::int64_t>(20 + random() % 80);
  model::Experiment e{.problem = {std::vector<double>(arms, 0.5), model::Geometric{pick(0.0, 0.5, 5.0, 60.0)}},
                      .window = {},
                      .rule = {.gamma = pick(0.5, 0.75, 1.0)},
                      .horizon = horizon,
                      .seed = 0,
                      .at = {horizon}};
  if (const std::int64_t m = pick(-1, 0, 1, 2, 7, 30, 500); m >= 0) e.window = m;
  RandomCase result{e, {}};
  std::geometric_distribution<std::int64_t> delay(1 / (1 + model::mean(e.problem.delay)));
  for (std::int64_t s = 1; s <= horizon; ++s) result.record.push_back({random() % arms, random() % 2 == 0, delay(random)});
  return result;
}

/// The sums of §5.1, §6 and Appendix D after round t. O_k is a recursion by definition, so it is carried from round to round.
class Definition {
 public:
  explicit Definition(const RandomCase& c) : c_(c), outstanding_(c.experiment.problem.theta.size()) {}

  std::vector<ArmStatistics> after(std::int64_t t, Statistic statistic) {
    const auto& e = c_.experiment;
    const auto age = [&](std::int64_t s) { return std::min(t - s, e.window.value_or(t - s)); };
    const auto pull = [&](std::int64_t s) -> const Pull& { return c_.record[static_cast<std::size_t>(s - 1)]; };
    const auto seen = [&](std::int64_t s) { return pull(s).converts && pull(s).delay <= age(s); };

    std::vector<std::pair<std::int64_t, std::int64_t>> arrivals;  // (round of disclosure, round of the pull)
    for (std::int64_t s = 1; s <= t; ++s) {
      if (seen(s)) arrivals.emplace_back(s + pull(s).delay, s);
    }
    std::sort(arrivals.begin(), arrivals.end());
    const auto observed = static_cast<double>(arrivals.size());

    double mean = 0, n = 0;
    for (const auto& [round, s] : arrivals) {
      const double weight = std::pow(++n, -e.rule.gamma);
      mean += weight * (static_cast<double>(round - s) - mean);
    }
    if (statistic == Statistic::agnostic_likelihood) mean = arrivals.empty() ? 0 : likeliest(arrivals);
    for (std::size_t k = 0; k < outstanding_.size(); ++k) outstanding_[k] = mean / (1 + mean) * (outstanding_[k] + (pull(t).arm == k));

    std::vector<ArmStatistics> arms(outstanding_.size());
    for (std::int64_t s = 1; s <= t; ++s) {
      ArmStatistics& arm = arms[pull(s).arm];
      const bool matured = e.window && s <= t - *e.window;
      switch (statistic) {
        case Statistic::exposure:
        case Statistic::queue_heuristic:
          arm.conversions += seen(s), arm.exposure += model::cdf(e.problem.delay, age(s)), arm.pulls += 1;
          break;
        case Statistic::matured:
          if (matured) arm.conversions += seen(s), arm.exposure += model::cdf(e.problem.delay, *e.window), arm.pulls += 1;
          break;
        case Statistic::agnostic_window: {
          const auto early = std::count_if(arrivals.begin(), arrivals.end(), [&](const auto& a) { return a.first - a.second <= age(s); });
          arm.conversions += seen(s), arm.exposure += observed > 0 ? static_cast<double>(early) / observed : 0, arm.pulls += 1;
          break;
        }
        case Statistic::agnostic_mean:
        case Statistic::agnostic_likelihood:
          arm.conversions += seen(s), arm.exposure += observed > 0, arm.pulls += 1;
          break;
        case Statistic::immediate:
          arm.conversions += pull(s).converts, arm.exposure += 1, arm.pulls += 1;
          break;
        case Statistic::uncorrected:
          arm.conversions += seen(s), arm.exposure += 1, arm.pulls += 1;
          break;
        case Statistic::queue_naive:
        case Statistic::queue:
        case Statistic::none:
          arm.conversions += seen(s), arm.pulls += 1;
          break;
      }
    }
    if ((statistic == Statistic::agnostic_mean || statistic == Statistic::agnostic_likelihood) && observed > 0) {
      for (std::size_t k = 0; k < arms.size(); ++k) arms[k].exposure -= outstanding_[k];
    }
    return arms;
  }

 private:
  /// By halving, with the expectation of an observed delay as a sum over the delays that could have been observed by the last arrival.
  static double likeliest(const std::vector<std::pair<std::int64_t, std::int64_t>>& arrivals) {
    const auto t = static_cast<double>(arrivals.back().first);
    double total = 0;
    for (const auto& [round, s] : arrivals) total += static_cast<double>(round - s);
    double low = 0, high = t;
    for (int halving = 0; halving < 60; ++halving) {
      const double mu = (low + high) / 2;
      double weights = 0, sum = 0;
      for (double d = 0; d < t; ++d) {
        const double weight = (t - d) * std::pow(mu / (1 + mu), d);
        weights += weight;
        sum += d * weight;
      }
      (sum / weights < total / static_cast<double>(arrivals.size()) ? low : high) = mu;
    }
    return (low + high) / 2;
  }

  const RandomCase& c_;
  std::vector<double> outstanding_;
};

class EveryReferenceStatistic : public ::testing::TestWithParam<std::tuple<Statistic, model::Exposure>> {};

TEST_P(EveryReferenceStatistic, EqualsItsDefinitionAtEveryRound) {
  const auto [statistic, form] = GetParam();
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 60; ++repeat) {
    RandomCase c = random_case(random);
    c.experiment.rule.statistic = statistic;
    Learner learner(c.experiment, form);
    Definition definition(c);
    for (const Pull& pull : c.record) {
      learner.play(pull.arm, pull.converts, pull.delay);
      const auto expected = definition.after(learner.round(), statistic);
      const auto actual = learner.statistics();
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_EQ(actual[k].conversions, expected[k].conversions) << "case " << repeat << " round " << learner.round();
        ASSERT_EQ(actual[k].pulls, expected[k].pulls) << "case " << repeat << " round " << learner.round();
        const double slack = statistic == Statistic::agnostic_likelihood ? 1e-6 : 1e-12;  // that one is solved for
        ASSERT_NEAR(actual[k].exposure, expected[k].exposure, slack * (1 + expected[k].exposure))
            << "case " << repeat << " round " << learner.round();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, EveryReferenceStatistic,
                         ::testing::Combine(::testing::Values(Statistic::exposure, Statistic::matured, Statistic::agnostic_window,
                                                              Statistic::agnostic_mean, Statistic::agnostic_likelihood,
                                                              Statistic::immediate, Statistic::none, Statistic::uncorrected,
                                                              Statistic::queue_heuristic),
                                            ::testing::Values(model::Exposure::history, model::Exposure::buffer)));

TEST(ReferenceExposure, BufferEqualsTheDefinitionWithinRounding) {
  std::mt19937_64 random(11);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const RandomCase c = random_case(random);
    Learner history(c.experiment, model::Exposure::history), buffer(c.experiment, model::Exposure::buffer);
    for (const Pull& pull : c.record) {
      history.play(pull.arm, pull.converts, pull.delay);
      buffer.play(pull.arm, pull.converts, pull.delay);
      const auto expected = history.statistics(), actual = buffer.statistics();
      for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(actual[k].exposure, expected[k].exposure, 1e-12 * expected[k].exposure);
    }
  }
}

}  // namespace
}  // namespace dbandit::reference
