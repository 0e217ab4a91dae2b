#pragma once

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <string>
#include <vector>

#include "fit/fit.hpp"
#include "samples.hpp"

namespace dbandit::test {

/// How often the 95 % interval of each parameter, then of each rate, holds the truth.
struct Coverage {
  std::vector<std::string> names;
  std::vector<double> share;
};

inline Coverage coverage(const sim::Settings& world, const fit::Family& family, const std::vector<double>& parameters) {
  const std::vector<fit::Counts> logs = simulated(world);
  std::vector<double> truth = parameters;
  truth.insert(truth.end(), world.theta.begin(), world.theta.end());
  std::vector<std::vector<char>> covered(logs.size());
  std::vector<std::string> names;
  tbb::parallel_for(std::size_t{0}, logs.size(), [&](std::size_t i) {
    const fit::Likelihood likelihood(logs[i]);
    auto fitted = fit::fit(likelihood, family, 1);
    if (!fitted) return;
    fit::estimate(*fitted, likelihood);
    std::vector<fit::Estimate> all = fitted->parameter_estimates;
    all.insert(all.end(), fitted->rate_estimates.begin(), fitted->rate_estimates.end());
    for (std::size_t j = 0; j < truth.size(); ++j) covered[i].push_back(all[j].low <= truth[j] && truth[j] <= all[j].high);
  });
  Coverage result;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    result.names.push_back(j < parameters.size() ? std::string(family.parameters[j].name)
                                                 : "rate " + std::to_string(j - parameters.size()));
    double sum = 0;
    for (const auto& one : covered) sum += j < one.size() && one[j] != 0 ? 1 : 0;
    result.share.push_back(sum / static_cast<double>(logs.size()));
  }
  return result;
}

/// Clicks on the arms in turn at random: what a policy chooses makes no difference to the likelihood.
inline sim::Settings world(std::vector<double> theta, const model::DelayLaw& law, std::int64_t window, std::int64_t horizon,
                           std::int64_t replicas) {
  sim::Settings settings;
  settings.theta = std::move(theta);
  settings.delay = law;
  settings.censor = window;
  settings.horizon = horizon;
  settings.at = {horizon};
  settings.policies = {"uniform"};
  settings.replicas = replicas;
  settings.seed = 17;
  return settings;
}

struct Case {
  std::string family;
  model::DelayLaw law;
  std::vector<double> parameters;
  std::int64_t window, horizon;
};
inline std::vector<Case> cases() {
  return {{"geometric", model::Geometric{50}, {50}, 150, 4000},
          {"weibull", model::parse_delay_law("weibull:0.7,40"), {0.7, 40}, 300, 4000},
          {"lognormal", model::parse_delay_law("lognormal:3,1.2"), {3, 1.2}, 200, 4000},
          {"pareto", model::parse_delay_law("pareto:2,60"), {2, 60}, 400, 6000},
          {"mixture of 2", model::Mixture{{{0.4, 5}, {0.6, 120}}}, {5, 120, 0.4}, 500, 6000}};
}

}  // namespace dbandit::test
