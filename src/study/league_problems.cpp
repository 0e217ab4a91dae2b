#include <algorithm>
#include <cmath>

#include "dbandit/policy/catalogue.hpp"
#include "study/league.hpp"

namespace dbandit::study {
namespace {

/// Replicas of a match with a share of 1, by horizon: the intervals of the best policies are a few percent in the full run.
std::int64_t replicas(Effort effort, std::int64_t horizon) {
  const std::int64_t full = horizon > 10'000 ? 80 : 400;
  return effort == Effort::full ? full : full / 4;
}

sim::Settings problem(std::vector<double> theta, std::string_view delay, std::int64_t window) {
  sim::Settings spec;
  spec.theta = std::move(theta);
  spec.delay = model::parse_delays(delay);
  spec.censor = window;
  return spec;
}

/// The same world, for policies that believe in another law.
sim::Settings believing(sim::Settings spec, std::string_view law) {
  spec.assume_delay = model::parse_delays(law);
  return spec;
}

/// One arm of rate `best`, the others `other`.
std::vector<double> one_better(std::size_t arms, double best, double other) {
  std::vector<double> theta(arms, other);
  theta.front() = best;
  return theta;
}

/// `arms` rates from `best` down to `worst`, evenly.
std::vector<double> spread(std::size_t arms, double best, double worst) {
  std::vector<double> theta;
  for (std::size_t k = 0; k < arms; ++k) theta.push_back(best + (worst - best) * static_cast<double>(k) / static_cast<double>(arms - 1));
  return theta;
}

std::vector<LeagueProblem> make_problems() {
  const std::vector<double> low{0.1, 0.05, 0.03}, central{0.5, 0.4, 0.3};
  return {
      {"paper-low", "the paper's low rates", problem(low, "geometric:500", 1000)},
      {"paper-central", "the paper's central rates", problem(central, "geometric:500", 1000)},
      {"tiny", "rates below one percent", problem({0.01, 0.005, 0.003}, "geometric:500", 1000)},
      {"near-one", "rates near one", problem({0.95, 0.9, 0.8}, "geometric:100", 300)},
      {"hard-gap", "a gap of a twentieth of the rate", problem({0.1, 0.095, 0.09}, "geometric:500", 1000)},
      {"two-low", "two arms, low rates", problem({0.05, 0.04}, "geometric:100", 300)},
      {"two-central", "two arms, central rates", problem({0.5, 0.45}, "geometric:50", 200)},
      {"short-delays", "hardly any delay", problem(low, "geometric:5", 20)},
      {"long-delays", "delays twice the window: six in ten conversions are lost", problem(low, "geometric:2000", 1000)},
      {"short-window", "a fifth of the mean delay is waited for: eight in ten are lost", problem(low, "geometric:500", 100)},
      {"long-window", "a window of six mean delays", problem(low, "geometric:500", 3000), 0.5},
      {"criteo", "advertising: a third within the hour, an eighth after two weeks; rounds of an hour, a window of 30 days",
       problem({0.02, 0.018, 0.01}, "criteo:minutes=60", 720)},
      {"believes-short", "the law believed in is ten times too short", believing(problem(low, "geometric:500", 1000), "geometric:50")},
      {"believes-long", "the law believed in is four times too long", believing(problem(low, "geometric:500", 1000), "geometric:2000")},
      {"heavy-tail", "Weibull delays of shape 1/2 taken for geometric ones of the same mean",
       believing(problem(low, "weibull:0.5,250", 1000), "geometric:500")},
      {"arms-differ", "the better an arm, the slower, and all are taken for alike",
       believing(problem(low, "geometric:1000,500,50", 1000), "geometric:500")},
      {"ten-low", "ten arms, low rates", problem(one_better(10, 0.1, 0.05), "geometric:200", 500), 0.5},
      {"ten-spread", "ten arms, rates from 0.5 to 0.05", problem(spread(10, 0.5, 0.05), "geometric:200", 500), 0.5},
      {"fifty", "fifty arms, low rates", problem(one_better(50, 0.1, 0.05), "geometric:100", 200), 0.1},
  };
}

}  // namespace

std::span<const LeagueProblem> league_problems() {
  static const std::vector<LeagueProblem> problems = make_problems();
  return problems;
}

std::vector<Match> league_matches(Effort effort, std::uint64_t seed) {
  std::vector<sim::Policy> everyone;
  for (const policy::Entry& entry : policy::catalogue()) everyone.emplace_back(entry.id);
  std::vector<Match> matches;
  for (const LeagueProblem& problem : league_problems()) {
    for (const std::int64_t horizon : kLeagueHorizons) {
      sim::Settings settings = problem.settings;
      settings.horizon = horizon;
      settings.policies = everyone;
      settings.seed = seed;
      settings.at = {horizon};
      settings.replicas = std::max<std::int64_t>(16, std::llround(problem.share * static_cast<double>(replicas(effort, horizon))));
      matches.push_back({&problem, settings});
    }
  }
  return matches;
}

}  // namespace dbandit::study
