#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dbandit/policy/catalogue.hpp"
#include "sim/policy_settings.hpp"
#include "study/league.hpp"

namespace dbandit::study {
namespace {

/// Replicas of a match with a share of 1. 368 are the fewest with which a 99 % quantile has an interval.
std::int64_t replicas(Effort effort, std::int64_t horizon) {
  const bool is_long = horizon > 10'000;
  if (effort == Effort::quick) return is_long ? 24 : 64;
  return is_long ? 368 : 400;
}

bool explores(const policy::Entry& entry) {
  const auto has = sim::settings_of(entry);
  return std::ranges::find(has, "epsilon") != has.end();
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

/// The law has no recursion, and the ages of all pulls without a window are too many to go over in every round.
sim::Settings fitted(sim::Settings spec) {
  spec.exposure = model::ExposureChoice(model::Exposure::approx, 1e-6);
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
      {"heavy-tail", "Weibull delays of shape 1/2", fitted(problem(low, "weibull:0.5,250", 1000))},
      {"arms-differ", "the better an arm, the slower", problem(low, "geometric:1000,500,50", 1000)},
      {"ten-low", "ten arms, low rates", problem(one_better(10, 0.1, 0.05), "geometric:200", 500), 0.5},
      {"ten-spread", "ten arms, rates from 0.5 to 0.05", problem(spread(10, 0.5, 0.05), "geometric:200", 500), 0.5},
      {"fifty", "fifty arms, low rates", problem(one_better(50, 0.1, 0.05), "geometric:100", 200), 0.1},
  };
}

std::vector<LeagueProblem> make_beliefs() {
  const std::vector<double> low{0.1, 0.05, 0.03};
  const sim::Settings paper = problem(low, "geometric:500", 1000);
  return {
      {"believes-short", "the law believed in is ten times too short", believing(paper, "geometric:50"), 1, "paper-low"},
      {"believes-long", "the law believed in is four times too long", believing(paper, "geometric:2000"), 1, "paper-low"},
      {"believes-light", "Weibull delays of shape 1/2 taken for geometric ones of the same mean",
       believing(problem(low, "weibull:0.5,250", 1000), "geometric:500"), 1, "heavy-tail"},
      {"believes-alike", "the better an arm, the slower, and all are taken for alike",
       believing(problem(low, "geometric:1000,500,50", 1000), "geometric:500"), 1, "arms-differ"},
  };
}

/// Between the problems of the league, none of them among them.
std::vector<LeagueProblem> make_tuning() {
  return {
      {"tuning-low", "low rates", problem({0.08, 0.05, 0.04}, "geometric:300", 700)},
      {"tuning-central", "central rates", problem({0.6, 0.5, 0.35}, "geometric:200", 500)},
      {"tuning-tiny", "rates about one percent", problem({0.015, 0.01}, "geometric:400", 900)},
      {"tuning-five", "five arms", problem({0.2, 0.15, 0.15, 0.1, 0.1}, "geometric:100", 300), 0.5},
  };
}

}  // namespace

std::span<const LeagueProblem> league_problems() {
  static const std::vector<LeagueProblem> problems = make_problems();
  return problems;
}

std::span<const LeagueProblem> other_beliefs() {
  static const std::vector<LeagueProblem> problems = make_beliefs();
  return problems;
}

std::span<const LeagueProblem> tuning_problems() {
  static const std::vector<LeagueProblem> problems = make_tuning();
  return problems;
}

std::vector<Match> league_matches(Effort effort, std::uint64_t seed) {
  std::vector<sim::Policy> all, told, varied;
  for (const policy::Entry& entry : policy::catalogue()) {
    all.emplace_back(entry.id);
    if (knowledge(entry).of_delays()) told.emplace_back(entry.id);
    for (const double epsilon : kExplorations) {
      if (explores(entry)) varied.emplace_back(fmt::format("{}(epsilon={})", entry.id, epsilon));
    }
  }
  // How much a prior matters: a mean of 0.1 instead of 1, and one of 10 that takes ten conversions to forget.
  for (const char* const sampler : {"d-ts", "uncorrected-ts", "discard-ts"}) {
    for (const char* const prior : {"(prior-rate=10)", "(prior-shape=10)"}) all.emplace_back(std::string(sampler) + prior);
  }
  std::vector<Match> matches;
  const auto add = [&](const LeagueProblem& problem, std::int64_t horizon, std::vector<sim::Policy> policies, std::int64_t count,
                       Part part) {
    sim::Settings settings = problem.settings;
    settings.horizon = horizon;
    settings.policies = std::move(policies);
    settings.seed = part == Part::tuning ? seed + 1'000'000 : seed;
    settings.at = {horizon};
    settings.replicas = std::max<std::int64_t>(8, std::llround(problem.share * static_cast<double>(count)));
    matches.push_back({&problem, settings, part});
  };
  for (const LeagueProblem& problem : league_problems()) {
    for (const std::int64_t horizon : kLeagueHorizons) add(problem, horizon, all, replicas(effort, horizon), Part::ranking);
  }
  for (const LeagueProblem& problem : other_beliefs()) {
    for (const std::int64_t horizon : kLeagueHorizons) add(problem, horizon, told, replicas(effort, horizon), Part::beliefs);
  }
  const std::int64_t few = replicas(effort, kLeagueHorizons[0]) / 4;
  for (const LeagueProblem& problem : tuning_problems()) add(problem, kLeagueHorizons[0], varied, few, Part::tuning);
  for (const LeagueProblem& problem : league_problems()) add(problem, kLeagueHorizons[0], varied, few, Part::tuned);
  return matches;
}

}  // namespace dbandit::study
