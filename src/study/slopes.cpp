#include "study/slopes.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "dbandit/model/bounds.hpp"
#include "dbandit/policy/catalogue.hpp"

namespace dbandit::study {
namespace {

const std::vector<double> kHigh{0.5, 0.4, 0.3}, kLow{0.1, 0.05, 0.03}, kRare{0.01, 0.005, 0.003};

sim::Settings problem(const std::vector<double>& theta, std::vector<sim::Policy> policies) {
  sim::Settings spec;
  spec.theta = theta;
  spec.delay = model::Geometric{500};
  spec.censor = 1000;
  spec.policies = std::move(policies);
  return spec;
}

std::vector<std::int64_t> decades(std::int64_t horizon) {
  std::vector<std::int64_t> rounds;
  for (std::int64_t round = 1000; round <= horizon; round *= 10) rounds.push_back(round);
  return rounds;
}

/// 24 rounds from 10^4 to 10^6, evenly in ln t: as many as are compared pair by pair.
std::vector<std::int64_t> between() {
  std::vector<std::int64_t> rounds;
  for (int i = 0; i < 24; ++i) rounds.push_back(std::llround(std::pow(10, 4 + 2.0 * i / 23)));
  return rounds;
}

bool has_window(const sim::Result& result, const sim::Policy& policy) {
  switch (policy.entry->setting) {
    case policy::Setting::censored:
      return true;
    case policy::Setting::uncensored:
      return false;
    case policy::Setting::as_given:
      return result.spec->censor.has_value();
  }
  return false;
}

const model::Slopes& slopes_of(const sim::Result& result, const sim::Policy& policy) {
  return has_window(result, policy) ? result.censored : result.uncensored;
}

/// The first place, counted between the rounds, at which the value is positive: bisection, since it rises.
double zero_of(std::span<const std::int64_t> rounds, std::span<const double> values) {
  if (values.front() > 0) return 0;
  if (values.back() <= 0) return std::numeric_limits<double>::infinity();
  std::size_t before = 0, after = values.size() - 1;
  while (after - before > 1) {
    const std::size_t middle = before + (after - before) / 2;
    (values[middle] > 0 ? after : before) = middle;
  }
  const double share = -values[before] / (values[after] - values[before]);
  const double from = std::log(static_cast<double>(rounds[before])), to = std::log(static_cast<double>(rounds[after]));
  return std::exp(from + share * (to - from));
}

}  // namespace

std::vector<SlopeRun> slope_runs(Effort effort) {
  const bool quick = effort == Effort::quick;
  std::vector<SlopeRun> runs;
  // Growth is within a policy, so that every policy is a run of its own: nothing is lost, and the work divides better.
  const auto growth = [&](const char* words, const std::vector<double>& theta, const std::vector<std::string>& policies, double epsilon,
                          bool window, std::int64_t horizon, std::int64_t replicas) {
    for (const std::string& policy : policies) {
      sim::Settings spec = problem(theta, {sim::Policy(policy)});
      if (!window) spec.censor.reset();
      spec.epsilon = epsilon;
      spec.horizon = quick ? 1'000'000 : horizon;
      spec.at = decades(spec.horizon);
      spec.replicas = quick ? 128 : replicas;
      runs.push_back({SlopePart::growth, words, spec});
    }
  };
  constexpr std::int64_t far = 100'000'000;
  growth("low rates, window 1000", kLow, {"d-ucb", "d-klucb", "discard-klucb", "discard-bernkl"}, 0, true, far, 64);
  growth("low rates, window 1000, ε = 0.2", kLow, {"d-ucb", "d-klucb"}, 0.2, true, far, 64);
  growth("low rates, no window", kLow, {"ud-ucb", "ud-klucb", "oracle-klucb"}, 0, false, far, 64);
  growth("central rates, window 1000", kHigh, {"d-ucb", "d-klucb", "discard-bernkl"}, 0, true, far, 32);
  growth("rates of one percent, window 1000", kRare, {"d-klucb", "discard-bernkl"}, 0, true, 10 * far, 16);

  sim::Settings duel = problem(kHigh, {"d-klucb", "d-ucb", "ud-klucb", "ud-ucb"});
  duel.horizon = 1'000'000;
  duel.at = between();
  duel.replicas = quick ? 256 : 1024;
  runs.push_back({SlopePart::crossing, "central rates", duel});

  for (const std::int64_t window : {250, 500, 1000, 2000, 4000}) {
    sim::Settings spec = problem(kLow, {"d-ucb", "d-klucb"});
    spec.delay = model::Geometric{static_cast<double>(window) / 2};  // τ_m, and with it the leading term, stays
    spec.censor = window;
    spec.horizon = 100'000;
    spec.at = {spec.horizon};
    spec.replicas = quick ? 512 : 1024;
    runs.push_back({SlopePart::remainder, "low rates", spec});
    spec.censor.reset();
    spec.policies = {"ud-ucb", "ud-klucb"};
    runs.push_back({SlopePart::remainder, "low rates", spec});
  }
  return runs;
}

double limiting_slope(const sim::Result& result, const sim::Policy& policy) {
  const double explored = 1 + result.spec->epsilon;
  // Who sees everything at once learns as without a window, and loses what the window shows.
  const bool sees_all = policy.entry->statistic == model::Statistic::immediate;
  const double shown = sees_all && result.spec->censor ? model::cdf(result.spec.problem().delay[0], *result.spec->censor) : 1;
  const model::Slopes& slopes = sees_all ? result.uncensored : slopes_of(result, policy);
  if (policy.entry->index == model::IndexForm::ucb) return shown * slopes.ucb;
  if (policy.entry->index == model::IndexForm::klucb) return shown * slopes.klucb;
  if (policy.entry->index == model::IndexForm::bernkl) return shown * explored * slopes.lower;
  return std::numeric_limits<double>::quiet_NaN();  // no theorem says
}

std::vector<GrowthLine> growth_lines(std::span<const SlopeRun> runs, std::span<const sim::Result> results) {
  std::vector<GrowthLine> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].part != SlopePart::growth) continue;
    const sim::Result& result = results[i];
    for (const sim::Policy& policy : result.spec->policies) {
      GrowthLine& line = lines.emplace_back();
      line.problem = runs[i].problem;
      line.policy = policy.id;
      line.epsilon = result.spec->epsilon;
      line.lower = slopes_of(result, policy).lower;
      line.limit = limiting_slope(result, policy);
      line.rounds = result.spec->at;
      for (std::size_t r = 0; r + 1 < line.rounds.size(); ++r) {
        line.growth.push_back(growth(result, policy.id, line.rounds[r], line.rounds[r + 1]));
      }
    }
  }
  return lines;
}

std::optional<Interval> tends_to(const Interval& first, const Interval& second, const Interval& third) {
  const double before = second.value - first.value, last = third.value - second.value;
  if (before * last <= 0 || std::abs(last) >= std::abs(before)) return std::nullopt;
  // third + last · q/(1−q) with q = last/before: third + last²/(before − last).
  const double gap = before - last, value = third.value + last * last / gap;
  const double d_last = (2 * last * gap + last * last) / (gap * gap), d_before = -(last * last) / (gap * gap);
  const auto half = [](const Interval& interval) { return (interval.high - interval.low) / 2; };
  return centred(value,
                 std::abs(-d_before) * half(first) + std::abs(d_before - d_last) * half(second) + std::abs(1 + d_last) * half(third));
}

Interval crossing(std::span<const std::int64_t> rounds, std::span<const Interval> difference) {
  assert(rounds.size() == difference.size() && !rounds.empty());
  const auto zero = [&](double Interval::*end) {
    std::vector<double> values;
    for (const Interval& one : difference) values.push_back(one.*end);
    return zero_of(rounds, values);
  };
  return {zero(&Interval::value), zero(&Interval::high), zero(&Interval::low)};
}

std::vector<Crossing> crossings(std::span<const SlopeRun> runs, std::span<const sim::Result> results) {
  std::vector<Crossing> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].part != SlopePart::crossing) continue;
    for (const auto& [a, b] : {std::pair{"d-klucb", "d-ucb"}, {"ud-klucb", "ud-ucb"}}) {
      Crossing one{.a = a, .b = b, .rounds = results[i].spec->at, .difference = {}, .round = {}};
      for (const std::int64_t round : one.rounds) one.difference.push_back(lag_at(results[i], a, b, round));
      one.round = crossing(one.rounds, one.difference);
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::vector<Remainder> remainders(std::span<const SlopeRun> runs, std::span<const sim::Result> results) {
  std::vector<Remainder> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].part != SlopePart::remainder) continue;
    const sim::Result& result = results[i];
    for (const sim::Policy& policy : result.spec->policies) {
      const Interval regret = at(result, policy.id, "regret", result.spec->horizon);
      const double leading = limiting_slope(result, policy) * std::log(static_cast<double>(result.spec->horizon));
      all.push_back({.policy = policy.id,
                     .mean_delay = model::average_mean(result.spec->delay),
                     .window = result.spec->censor,
                     .regret = regret,
                     .beyond = difference(regret, exactly(leading))});
    }
  }
  std::ranges::stable_sort(all, {}, [](const Remainder& one) { return std::pair(!one.window.has_value(), one.policy); });
  return all;
}

}  // namespace dbandit::study
