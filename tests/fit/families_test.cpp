#include "fit/families.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "samples.hpp"
#include "study/fit_report.hpp"

namespace dbandit {
namespace {

std::vector<double> random_parameters(const fit::Family& family, std::mt19937_64& random) {
  std::vector<double> values;
  for (const fit::Parameter& parameter : family.parameters) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    double value = parameter.low + u * (parameter.high - parameter.low);
    if (parameter.link == fit::Link::log) {
      const double low = std::max(parameter.low, 0.3), high = std::min(parameter.high, 3000.0);
      value = low * std::pow(high / low, u);
    }
    if (parameter.name == "shape") value = 0.3 + 3 * u;
    if (parameter.name == "mu") value = -1 + 8 * u;
    if (parameter.name == "sigma") value = 0.3 + 2 * u;
    values.push_back(parameter.whole ? std::round(value) : value);
  }
  return values;
}

TEST(Families, AreTheLawsOfTheModel) {
  std::mt19937_64 random(5);
  for (const fit::Family& family : fit::families()) {
    for (int trial = 0; trial < 40; ++trial) {
      const auto parameters = random_parameters(family, random);
      const model::DelayLaw law = family.make(parameters);
      std::vector<double> at{0, 1, 2, 3, 5, 10, 30, 100, 1000, 10000}, tau(at.size()), log_p(at.size());
      family.cdf(parameters, at, tau);
      family.log_pmf(parameters, at, log_p);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto d = static_cast<std::int64_t>(at[i]);
        EXPECT_NEAR(tau[i], model::cdf(law, d), 1e-12) << model::to_text(law) << " at " << d;
        const double above = model::survival(law, d);
        const double p = above > 0.5 ? model::cdf(law, d) - model::cdf(law, d - 1) : model::survival(law, d - 1) - above;
        if (p > 1e-9) {
          EXPECT_NEAR(std::exp(log_p[i]) / p, 1, 1e-5) << model::to_text(law) << " at " << d;
        }
      }
    }
  }
}

TEST(Families, ChancesAddUpToTheCdf) {
  std::mt19937_64 random(6);
  for (const fit::Family& family : fit::families()) {
    const auto parameters = random_parameters(family, random);
    std::vector<double> at(400), tau(at.size()), log_p(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(i);
    family.cdf(parameters, at, tau);
    family.log_pmf(parameters, at, log_p);
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      sum += std::exp(log_p[i]);
      ASSERT_NEAR(sum, tau[i], 1e-11) << family.name << " at " << i;
    }
  }
}

/// empirical has counts, no parameters; criteo is a mixture of three.
TEST(Families, EveryLawWithParametersHasOne) {
  std::set<std::string> fitted{"empirical", "criteo"}, known;
  for (const fit::Family& family : fit::families()) fitted.emplace(family.law);
  for (const model::LawFamily& law : model::law_families()) known.insert(law.form.substr(0, law.form.find_first_of(":[")));
  EXPECT_EQ(fitted, known);
}

TEST(Families, TextsOfLawsReadBack) {
  std::mt19937_64 random(7);
  for (const fit::Family& family : fit::families()) {
    for (int trial = 0; trial < 20; ++trial) {
      const model::DelayLaw law = family.make(random_parameters(family, random));
      const model::DelayLaw read = model::parse_delay_law(study::law_text(law));
      for (const std::int64_t d : {0, 3, 100}) EXPECT_NEAR(model::cdf(read, d), model::cdf(law, d), 1e-4) << study::law_text(law);
    }
  }
}

TEST(Families, PartsOfAMixtureAreOrderedWithoutChangingTheLaw) {
  const fit::Family& family = test::family("mixture of 3");
  const fit::Point given{100, 3, 20, 0.5, 0.2}, ordered = fit::ordered(family, given);
  EXPECT_NEAR(ordered[0], 3, 1e-12);
  EXPECT_NEAR(ordered[2], 100, 1e-12);
  for (const double d : {0.0, 7.0, 50.0}) {
    double a = 0, b = 0;
    family.cdf(given, {&d, 1}, {&a, 1});
    family.cdf(ordered, {&d, 1}, {&b, 1});
    EXPECT_NEAR(a, b, 1e-12);
  }
}

}  // namespace
}  // namespace dbandit
