#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dbandit/model/bounds.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// Growth per ln t in the last decade, over a constant of the theory.
Interval late_growth(const sim::Result& run, const std::string& policy, double constant) {
  return scaled(growth(run, policy, run.spec->horizon / 10, run.spec->horizon), 1 / constant);
}

}  // namespace

Finding poisson_loss_is_small(const Evidence& evidence) {
  const sim::Result &low = evidence.run("long/low"), &free = evidence.run("long/uncensored"), &high = evidence.run("long/high");
  const Interval rare = exactly(low.censored.klucb / low.censored.lower);
  return {below(rare, 1 + kNotNegligible),
          {{"limit of the growth rate with the Poisson divergence over the optimal one, rates 0.1 0.05 0.03, censored", rare},
           {"uncensored", exactly(low.uncensored.klucb / low.uncensored.lower)},
           {"simulated without delays, 10^6 to 10^7", late_growth(free, "oracle-klucb", free.uncensored.lower)},
           {"rates 0.5 0.4 0.3, where the paper claims nothing", exactly(high.censored.klucb / high.censored.lower)}}};
}

// The same policy on the same matured pulls, once with each divergence: what is between them is the price of the Poisson one.
Finding poisson_price(const Evidence& evidence) {
  const sim::Result &low = evidence.run("long/low"), &high = evidence.run("price/high");
  const auto lag = [](const sim::Result& run) { return relative_lag(run, "discard-klucb", "discard-bernkl"); };
  return {
      below(lag(low), kNotNegligible),
      {percent("discard-klucb's regret beyond discard-bernkl's, rates 0.1 0.05 0.03, T = 10^7", lag(low)),
       {"growth of the one over the other, 10^6 to 10^7", growth_ratio(low, "discard-klucb", "discard-bernkl", kMillion, 10 * kMillion)},
       {"in the limit", exactly(low.censored.klucb / low.censored.lower)},
       percent("regret beyond, rates 0.5 0.4 0.3, T = 10^6, where the paper claims nothing", lag(high)),
       {"in the limit, growth of the one over the other", exactly(high.censored.klucb / high.censored.lower)}}};
}

// Optimal is the constant of Theorem 3 and no other, however near.
Finding discarding_is_optimal(const Evidence& evidence) {
  const sim::Result& run = evidence.run("long/low");
  const model::Slopes& rate = run.censored;
  const Interval klucb = exactly(rate.klucb / rate.lower), ucb = exactly(rate.ucb / rate.lower);
  const std::array verdicts{below(klucb, 1), below(ucb, 1)};
  return {all_of(verdicts),
          {{"limit of discard-klucb's growth over the optimal one", klucb},
           {"measured from 10^6 to 10^7", late_growth(run, "discard-klucb", rate.lower)},
           {"limit for discard-ucb", ucb},
           {"measured", late_growth(run, "discard-ucb", rate.lower)},
           {"limit with the Bernoulli divergence instead (discard-bernkl)", exactly(1)},
           {"measured", late_growth(run, "discard-bernkl", rate.lower)}}};
}

Finding klucb_is_overtaken(const Evidence& evidence) {
  const sim::Result &early = evidence.run("fig1/high"), &late = evidence.run("long/high");
  const Interval ahead = lag(early, "d-klucb", "d-ucb"), behind = lag_at(late, "d-klucb", "d-ucb", kMillion);
  const Interval free_ahead = lag(early, "ud-klucb", "ud-ucb"), free_behind = lag_at(late, "ud-klucb", "ud-ucb", kMillion);
  const std::array verdicts{below(ahead, 0), above(behind, 0), below(free_ahead, 0), above(free_behind, 0)};
  return {all_of(verdicts),
          {{"d-klucb's regret minus d-ucb's at T = 10^4, rates 0.5 0.4 0.3", ahead},
           {"at 10^6", behind},
           {"at 10^7", lag(late, "d-klucb", "d-ucb")},
           {"uncensored at 10^4", free_ahead},
           {"at 10^6", free_behind},
           {"at 10^7", lag(late, "ud-klucb", "ud-ucb")}}};
}

// Delays and window are stretched together, so τ_m and the leading term are the same: what differs is the remainder. Appendix C bounds it
// by m for the first m rounds and by m pulls of every other arm, so by 1 + τ_m ΣΔ for every further round of m; and what is linear has
// the same slope everywhere.
Finding remainder_is_linear(const Evidence& evidence) {
  static const std::array<std::int64_t, 3> windows{250, 1000, 4000};
  constexpr std::int64_t kHorizon = 100'000;
  Finding finding;
  std::vector<Verdict> verdicts;
  const sim::Result& usual = evidence.run("stretched/1000");
  const double allowed = 1 + model::cdf(usual.spec->delay[0], *usual.spec->censor) * (0.05 + 0.07);
  for (const std::string policy : {"d-ucb", "d-klucb"}) {
    const auto regret = [&](std::int64_t window) {
      return at(evidence.run("stretched/" + std::to_string(window)), policy, "regret", kHorizon);
    };
    const double rate = policy == "d-ucb" ? usual.censored.ucb : usual.censored.klucb, ln = std::log(static_cast<double>(kHorizon));
    for (const std::int64_t window : windows) {
      finding.measured.push_back({window == windows[0] ? policy + "'s regret at T = 10^5 beyond its leading term, m = 2μ = 250"
                                                       : "m = 2μ = " + std::to_string(window),
                                  difference(regret(window), exactly(rate * ln))});
    }
    std::array<Interval, 2> slopes;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = scaled(difference(regret(windows[i + 1]), regret(windows[i])), 1 / static_cast<double>(windows[i + 1] - windows[i]));
      finding.measured.push_back({fmt::format("a further round of m adds, from {} to {}", windows[i], windows[i + 1]), slopes[i]});
      verdicts.push_back(below(slopes[i], allowed));
    }
    verdicts.push_back(difference(slopes[1], slopes[0]).low > 0 ? Verdict::fails : Verdict::holds);
  }
  finding.measured.push_back({"allowed: 1 + τ_m ΣΔ", exactly(allowed)});
  finding.verdict = all_of(verdicts);
  return finding;
}

// The corollaries bound the uncensored setting by the censored one with any window.
Finding uncensored_is_easier(const Evidence& evidence) {
  Finding finding;
  std::vector<Verdict> pulls, visible;
  for (const auto& [name, rates] : {std::pair{"fig1/low", "low rates"}, {"fig1/high", "central rates"}}) {
    const sim::Result& run = evidence.run(name);
    for (const std::string index : {"klucb", "ucb"}) {
      const auto end = [&](const std::string& policy) { return at(run, policy, "pseudo_regret", run.spec->horizon); };
      const Interval pseudo = difference(end("ud-" + index), end("d-" + index)), regret = lag(run, "ud-" + index, "d-" + index);
      finding.measured.push_back({fmt::format("pseudo-regret of ud-{0} minus that of d-{0}, {1}", index, rates), pseudo});
      finding.measured.push_back({"in visible regret", regret});
      pulls.push_back(below(pseudo, 0));
      visible.push_back(below(regret, 0));
    }
  }
  const Verdict seen = std::ranges::count(visible, Verdict::fails) > 0 ? Verdict::fails : all_of(visible);
  return only_for("pseudo-regret; visible regret counts fewer losses behind a window, and is smaller there", all_of(pulls), seen,
                  finding.measured);
}

}  // namespace dbandit::study
