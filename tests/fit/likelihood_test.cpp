#include "fit/likelihood.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "samples.hpp"

namespace dbandit {
namespace {

/// Row by row, with the laws of the model.
double literal(const std::vector<test::Observation>& clicks, const model::DelayLaw& law, const std::vector<double>& rates) {
  long double sum = 0;
  for (const auto& [arm, rounds, delay] : clicks) {
    if (delay >= 0) {
      sum += std::log(static_cast<long double>(rates[arm])) +
             std::log(static_cast<long double>(model::survival(law, delay - 1)) - static_cast<long double>(model::survival(law, delay)));
    } else {
      sum += std::log(1 - static_cast<long double>(rates[arm]) * model::cdf(law, rounds - 1));
    }
  }
  return static_cast<double>(sum);
}

struct World {
  std::string family;
  std::vector<double> parameters;
};
const std::vector<World> kWorlds = {{"geometric", {30}},
                                    {"uniform", {59}},
                                    {"negbin", {3, 25}},
                                    {"weibull", {0.8, 30}},
                                    {"lognormal", {2.5, 1}},
                                    {"pareto", {1.5, 20}},
                                    {"mixture of 2", {3, 60, 0.4}},
                                    {"mixture of 3", {2, 15, 90, 0.3, 0.5}}};

TEST(Likelihood, IsTheSumOverTheRows) {
  for (const World& world : kWorlds) {
    const fit::Family& family = test::family(world.family);
    const model::DelayLaw law = family.make(world.parameters);
    const auto clicks = test::sample(law, {0.4, 0.1}, 3000, 80, 11);
    const fit::Likelihood likelihood(test::counted(clicks, 2));
    for (const std::vector<double>& rates : {std::vector<double>{0.4, 0.1}, {0.7, 0.05}}) {
      const double expected = literal(clicks, law, rates);
      EXPECT_NEAR(likelihood.at(family, world.parameters, rates) / expected, 1, 1e-10) << world.family;
    }
  }
}

TEST(Likelihood, RatesOfTheProfileAreTheBestOnes) {
  for (const World& world : kWorlds) {
    const fit::Family& family = test::family(world.family);
    const fit::Likelihood likelihood(test::counted(test::sample(family.make(world.parameters), {0.4, 0.1}, 3000, 80, 12), 2));
    const auto best = likelihood.profile(family, world.parameters);
    EXPECT_NEAR(likelihood.at(family, world.parameters, best.rates), best.log_likelihood, 1e-8);
    for (std::size_t k = 0; k < 2; ++k) {
      for (const double factor : {0.999, 1.001}) {
        std::vector<double> rates = best.rates;
        rates[k] *= factor;
        EXPECT_LT(likelihood.at(family, world.parameters, rates), best.log_likelihood) << world.family;
      }
      const double h = 1e-4 * best.rates[k];
      std::vector<double> up = best.rates, down = best.rates;
      up[k] += h;
      down[k] -= h;
      const double curvature =
          (2 * best.log_likelihood - likelihood.at(family, world.parameters, up) - likelihood.at(family, world.parameters, down)) / (h * h);
      EXPECT_NEAR(best.information[k] / curvature, 1, 1e-3) << world.family;
    }
  }
}

TEST(Likelihood, ARateMayBeHeld) {
  const fit::Family& family = test::family("geometric");
  const std::vector<double> parameters{30};
  const fit::Likelihood likelihood(test::counted(test::sample(model::Geometric{30}, {0.4, 0.1}, 3000, 80, 13), 2));
  constexpr double kFree = std::numeric_limits<double>::quiet_NaN();
  const auto held = likelihood.profile(family, parameters, std::vector<double>{0.25, kFree});
  EXPECT_EQ(held.rates[0], 0.25);
  EXPECT_EQ(held.rates[1], likelihood.profile(family, parameters).rates[1]);
  EXPECT_NEAR(held.log_likelihood, likelihood.at(family, parameters, held.rates), 1e-9);
}

/// More conversions than the law lets be seen so early: every click converts.
TEST(Likelihood, ARateIsAtMostOne) {
  std::vector<test::Observation> clicks(50, {0, 2, 1});
  clicks.resize(60, {0, 2, -1});
  const fit::Likelihood likelihood(test::counted(clicks, 1));
  EXPECT_EQ(likelihood.profile(test::family("geometric"), std::vector<double>{100}).rates[0], 1);
}

TEST(Likelihood, AnArmWithoutConversionsHasTheRateZero) {
  const fit::Likelihood likelihood(test::counted({{0, 5, 2}, {0, 5, -1}, {1, 5, -1}}, 2));
  const auto best = likelihood.profile(test::family("geometric"), std::vector<double>{3});
  EXPECT_EQ(best.rates[1], 0);
  EXPECT_TRUE(std::isfinite(best.log_likelihood));
}

}  // namespace
}  // namespace dbandit
