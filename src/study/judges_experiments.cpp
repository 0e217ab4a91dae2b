#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "study/judges.hpp"

namespace dbandit::study {
namespace {

constexpr std::int64_t kWindow = 1000, kHorizon = 10'000;

/// Mean gap of θ_L: what a round costs while arms are played in turn.
constexpr double kMeanGap = (0.05 + 0.07) / 3;

/// The relative difference of two numbers from unlike runs.
Interval relative_change(const Interval& to, const Interval& from) { return scaled(difference(to, from), 1 / from.value); }

/// Two shares, both on the same side of a limit.
using Share = std::pair<std::string, Interval>;
Finding both(Verdict judge(const Interval&, double), double limit, const Share& a, const Share& b) {
  const std::array verdicts{judge(a.second, limit), judge(b.second, limit)};
  return {all_of(verdicts), {percent(a.first, a.second), percent(b.first, b.second)}};
}

}  // namespace

Finding ucb_at_central_rates(const Evidence& evidence) {
  const sim::Result& high = evidence.run("fig1/high");
  return both(below, kWell, {"d-ucb's regret beyond d-klucb's, rates 0.5 0.4 0.3", relative_lag(high, "d-ucb", "d-klucb")},
              {"uncensored", relative_lag(high, "ud-ucb", "ud-klucb")});
}

Finding ucb_at_low_rates(const Evidence& evidence) {
  const sim::Result& low = evidence.run("fig1/low");
  return both(above, kMuch, {"d-ucb's regret beyond d-klucb's, rates 0.1 0.05 0.03", relative_lag(low, "d-ucb", "d-klucb")},
              {"uncensored", relative_lag(low, "ud-ucb", "ud-klucb")});
}

Finding klucb_below_one_percent(const Evidence& evidence) {
  const Interval lag = relative_lag(evidence.run("tiny"), "d-ucb", "d-klucb");
  return {above(lag, kMuch), {percent("d-ucb's regret beyond d-klucb's, rates 0.01 0.005 0.003, T = 100000", lag)}};
}

Finding discarding_is_linear_for_a_window(const Evidence& evidence) {
  const sim::Result& run = evidence.run("fig2/low");
  Finding finding;
  std::vector<Verdict> verdicts;
  const auto share = [&](const std::string& policy, std::int64_t from, std::int64_t to) {
    const Interval start = from > 0 ? at(run, policy, "pseudo_regret", from) : exactly(0);
    return scaled(difference(at(run, policy, "pseudo_regret", to), start), 1 / (kMeanGap * static_cast<double>(to - from)));
  };
  for (const std::string policy : {"discard-ucb", "discard-klucb"}) {
    const Interval phase = share(policy, 0, kWindow);
    finding.measured.push_back({policy + "'s loss in the first m rounds over that of playing in turn", phase});
    verdicts.insert(verdicts.end(), {above(phase, 0.99), below(phase, 1.01)});
  }
  const Interval delayed = share("d-klucb", 0, kWindow), after = share("discard-klucb", 2 * kWindow, 5 * kWindow);
  finding.measured.push_back({"d-klucb's", delayed});
  finding.measured.push_back({"discard-klucb's from 2m to 5m", after});
  verdicts.insert(verdicts.end(), {below(delayed, 0.95), below(after, 0.5)});
  finding.verdict = all_of(verdicts);
  return finding;
}

Finding discarding_catches_up(const Evidence& evidence) {
  const sim::Result &early_run = evidence.run("fig2/low"), &late_run = evidence.run("late/low");
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const std::string index : {"klucb", "ucb"}) {
    const auto over = [&](const sim::Result& run, std::int64_t from, std::int64_t to) {
      return growth_ratio(run, "discard-" + index, "d-" + index, from, to);
    };
    const Interval early = over(early_run, kHorizon / 2, kHorizon), late = over(late_run, 100'000, 1'000'000);
    finding.measured.push_back({fmt::format("growth of discard-{0} over d-{0} from T/2 to T = 10^4", index), early});
    finding.measured.push_back({"from 10^5 to 10^6", late});
    verdicts.insert(verdicts.end(), {above(early, 1), above(difference(early, late), 0)});
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

Finding discarding_lags(const Evidence& evidence) {
  const sim::Result& run = evidence.run("fig2/low");
  return both(above, kNotNegligible, {"discard-ucb's regret beyond d-ucb's at T", relative_lag(run, "discard-ucb", "d-ucb")},
              {"discard-klucb's beyond d-klucb's", relative_lag(run, "discard-klucb", "d-klucb")});
}

Finding delayed_learns_faster_at_first(const Evidence& evidence) {
  const sim::Result& run = evidence.run("fig2/low");
  const auto over = [&](const std::string& index, std::int64_t round) {
    return paired_ratio(run, "discard-" + index, "d-" + index, round);
  };
  const Interval klucb = over("klucb", 2 * kWindow), ucb = over("ucb", 2 * kWindow);
  return only_for("KL-UCB; with the UCB index discarding is ahead for a while", above(klucb, 1 + kMuch), above(ucb, 1 + kMuch),
                  {{"regret of discard-klucb over d-klucb at t = 2m", klucb},
                   {"at 3m", over("klucb", 3 * kWindow)},
                   {"of discard-ucb over d-ucb at 2m", ucb},
                   {"at 3m", over("ucb", 3 * kWindow)}});
}

Finding estimating_delays_is_free(const Evidence& evidence) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const auto& [name, rates] : {std::pair{"fig3/low", "low rates"}, {"fig3/high", "central rates"}}) {
    for (const auto& [agnostic, informed] : {std::pair{"agnostic-klucb", "d-klucb"}, {"ud-agnostic-klucb", "ud-klucb"}}) {
      const Interval cost = relative_lag(evidence.run(name), agnostic, informed);
      finding.measured.push_back(percent(std::string(agnostic) + "'s regret beyond " + informed + "'s, " + rates, cost));
      verdicts.push_back(below(cost, kNoCost));
    }
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

namespace {

/// Whether loss rises along these runs for both indices: in pseudo-regret, which counts every pull, and in regret, which counts what can be
/// seen and is what the paper plots.
Finding rises(const Evidence& evidence, std::span<const std::pair<std::string, std::string>> runs) {
  Finding finding;
  std::vector<Verdict> pulls, visible;
  std::string against;
  for (const std::string policy : {"d-klucb", "d-ucb"}) {
    const auto loss = [&](const std::string& run, const char* measure) { return at(evidence.run(run), policy, measure, kHorizon); };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& [run, label] = runs[i];
      finding.measured.push_back({fmt::format("{}'s pseudo-regret, {}", policy, label), loss(run, "pseudo_regret")});
      if (i > 0) pulls.push_back(above(difference(loss(run, "pseudo_regret"), loss(runs[i - 1].first, "pseudo_regret")), 0));
    }
    const auto change = relative_change(loss(runs.back().first, "regret"), loss(runs.front().first, "regret"));
    finding.measured.push_back(percent("its visible regret, from the easiest to the hardest", change));
    visible.push_back(above(change, 0));
    if (visible.back() == Verdict::fails) against += (against.empty() ? "" : " and ") + policy;
  }
  return only_for("pseudo-regret; in visible regret, which the paper plots, it is the other way round for " + against, all_of(pulls),
                  all_of(visible), finding.measured);
}

}  // namespace

Finding harder_with_shorter_windows(const Evidence& evidence) {
  static const std::array<std::pair<std::string, std::string>, 3> runs{
      {{"fig1/low", "m = 1000"}, {"window/300", "m = 300"}, {"window/100", "m = 100"}}};
  return rises(evidence, runs);
}

Finding harder_with_longer_delays(const Evidence& evidence) {
  static const std::array<std::pair<std::string, std::string>, 3> runs{
      {{"delay/50", "mean delay 50"}, {"fig1/low", "500"}, {"delay/2000", "2000"}}};
  return rises(evidence, runs);
}

Finding recursion_is_the_sum(const Evidence& evidence) {
  const sim::Result& definition = evidence.run("sum/history");
  const auto furthest = [&](const sim::Result& other) {
    double most = 0;
    for (const std::string& policy : definition.spec.ids()) {
      for (const std::int64_t round : definition.spec->at) {
        const double exact = moments_at(definition, policy, "regret", round).mean;
        most = std::max(most, std::abs(moments_at(other, policy, "regret", round).mean - exact) / std::max(exact, 1e-300));
      }
    }
    return exactly(most);
  };
  const Interval recursion = furthest(evidence.run("sum/recursion")), buffer = furthest(evidence.run("sum/buffer"));
  const std::array verdicts{below(recursion, 1e-9), below(buffer, 1e-9)};
  return {all_of(verdicts),
          {{"largest relative difference of mean regret at any round, recursion against the sum over history", recursion},
           {"buffer of the last m pulls against it", buffer}}};
}

Finding thompson_beats_klucb(const Evidence& evidence) {
  return both(below, 0,
              {"d-ts's regret beyond d-klucb's, rates 0.1 0.05 0.03", relative_lag(evidence.run("thompson/low"), "d-ts", "d-klucb")},
              {"rates 0.5 0.4 0.3", relative_lag(evidence.run("thompson/high"), "d-ts", "d-klucb")});
}

Finding tie_rule_matters(const Evidence& evidence) {
  const sim::Result &random = evidence.run("fig1/low"), &lowest = evidence.run("ties/lowest");
  const Interval early = relative_change(at(lowest, "d-klucb", "regret", 100), at(random, "d-klucb", "regret", 100));
  const Interval window = relative_change(at(lowest, "d-klucb", "regret", kWindow), at(random, "d-klucb", "regret", kWindow));
  const Interval late = relative_change(at(lowest, "d-klucb", "regret", kHorizon), at(random, "d-klucb", "regret", kHorizon));
  return {below(early, -kMuch),
          {percent("d-klucb's regret at t = 100 when ties go to the arm listed first, which is the best", early),
           percent("at t = 1000", window), percent("at T", late)}};
}

Finding start_order_matters(const Evidence& evidence) {
  const sim::Result &permuted = evidence.run("fig1/low"), &fixed = evidence.run("start/fixed");
  const auto change = [&](std::int64_t round) {
    return relative_change(at(fixed, "d-ucb", "regret", round), at(permuted, "d-ucb", "regret", round));
  };
  return {above(change(kHorizon), 0.01),
          {percent("d-ucb's regret at t = 100 when the best arm is tried first", change(100)), percent("at t = 1000", change(kWindow)),
           percent("at t = 3000", change(3 * kWindow)), percent("at T", change(kHorizon))}};
}

}  // namespace dbandit::study
