#include <algorithm>
#include <array>

#include "dbandit/model/bounds.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

model::Slopes slopes(const sim::Result& run, bool censored) { return censored ? run.censored : run.uncensored; }

bool is_censored(const std::string& policy) { return !policy.starts_with("ud-") && !policy.starts_with("oracle-"); }

/// Growth per ln t in the last decade, over a constant of the theory.
Interval late_growth(const sim::Result& run, const std::string& policy, double constant) {
  return scaled(growth(run, policy, kMillion / 10, kMillion), 1 / constant);
}

struct Case {
  std::string run, policy;
};

/// A bound on the limit is contradicted only by a growth that is below it for sure.
Finding no_slower_than_the_bound(const Evidence& evidence, std::span<const Case> cases) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const auto& [name, policy] : cases) {
    const sim::Result& run = evidence.run(name);
    const Interval growth = late_growth(run, policy, slopes(run, is_censored(policy)).lower);
    finding.measured.push_back({"growth of " + policy + " (" + name + ") from 10^5 to 10^6 over the bound", growth});
    verdicts.push_back(growth.high < 1 ? Verdict::fails : Verdict::holds);
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

/// An upper bound c ln T + o(ln T): the growth of the last three decades over c. Reached when the last one is not above 1.
template <class Constant>
Finding no_faster_than_the_bound(const Evidence& evidence, std::span<const Case> cases, Constant constant) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const auto& [name, policy] : cases) {
    const sim::Result& run = evidence.run(name);
    const double rate = constant(run, is_censored(policy));
    finding.measured.push_back({policy + " (" + name + "), growth over the leading term, 10^4 to 10^5",
                                scaled(growth(run, policy, kMillion / 100, kMillion / 10), 1 / rate)});
    const Interval last = late_growth(run, policy, rate);
    finding.measured.push_back({"10^5 to 10^6", last});
    verdicts.push_back(last.low > 1 ? Verdict::fails : Verdict::holds);
  }
  finding.verdict = all_of(verdicts);
  if (finding.verdict == Verdict::fails) {
    finding.verdict = Verdict::partly;
    finding.scope = "the limit: up to 10^6 the remainder o(ln T) still grows along, less and less";
  }
  return finding;
}

}  // namespace

Finding poisson_loss_is_small(const Evidence& evidence) {
  const sim::Result &low = evidence.run("long/low"), &free = evidence.run("long/uncensored"), &high = evidence.run("long/high");
  const Interval rare = exactly(low.censored.klucb / low.censored.lower);
  return {below(rare, 1.1),
          {{"growth rate with the Poisson divergence over the optimal one, rates 0.1 0.05 0.03, censored", rare},
           {"uncensored", exactly(low.uncensored.klucb / low.uncensored.lower)},
           {"simulated without delays, 10^5 to 10^6", late_growth(free, "oracle-klucb", free.uncensored.lower)},
           {"rates 0.5 0.4 0.3, where the paper claims nothing", exactly(high.censored.klucb / high.censored.lower)}}};
}

Finding lower_bound_censored(const Evidence& evidence) {
  static const std::array<Case, 6> cases{{{"long/low", "d-klucb"},
                                          {"long/low", "discard-klucb"},
                                          {"long/low", "d-ucb"},
                                          {"long/low", "discard-ucb"},
                                          {"long/high", "d-klucb"},
                                          {"long/high", "d-ucb"}}};
  return no_slower_than_the_bound(evidence, cases);
}

Finding lower_bound_uncensored(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/uncensored", "ud-klucb"}, {"long/uncensored", "ud-ucb"}, {"long/high", "ud-klucb"}, {"long/high", "ud-ucb"}}};
  return no_slower_than_the_bound(evidence, cases);
}

Finding ucb_rate(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/low", "d-ucb"}, {"long/high", "d-ucb"}, {"long/uncensored", "ud-ucb"}, {"long/high", "ud-ucb"}}};
  return no_faster_than_the_bound(evidence, cases, [](const sim::Result& run, bool censored) { return slopes(run, censored).ucb; });
}

Finding klucb_rate(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/low", "d-klucb"}, {"long/high", "d-klucb"}, {"long/uncensored", "ud-klucb"}, {"long/high", "ud-klucb"}}};
  // As printed: the lower bound over 1 − θ*. Ours, Σ Δ/d_Pois, is smaller still.
  return no_faster_than_the_bound(evidence, cases, [](const sim::Result& run, bool censored) {
    return slopes(run, censored).lower / (1 - *std::ranges::max_element(run.spec->theta));
  });
}

Finding discarding_is_optimal(const Evidence& evidence) {
  const sim::Result& run = evidence.run("long/low");
  const model::Slopes& rate = run.censored;
  const Interval klucb = exactly(rate.klucb / rate.lower), ucb = exactly(rate.ucb / rate.lower);
  return only_for("KL-UCB at low rates; the UCB index keeps its own, larger constant", below(klucb, 1.1), below(ucb, 1.1),
                  {{"limit of discard-klucb's growth over the optimal one", klucb},
                   {"measured from 10^5 to 10^6", late_growth(run, "discard-klucb", rate.lower)},
                   {"limit for discard-ucb", ucb},
                   {"measured", late_growth(run, "discard-ucb", rate.lower)}});
}

Finding delay_is_additive(const Evidence& evidence) {
  const sim::Result& run = evidence.run("long/uncensored");
  const auto cost = [&](std::int64_t round) {
    return difference(at(run, "ud-klucb", "regret", round), at(run, "oracle-klucb", "regret", round));
  };
  const double waiting = 500 * (0.05 + 0.07) / 3;  // what a mean delay of random play costs
  const Interval factor = ratio(growth(run, "ud-klucb", kMillion / 10, kMillion), growth(run, "oracle-klucb", kMillion / 10, kMillion));
  return {below(cost(kMillion), 2 * waiting),
          {{"ud-klucb's regret minus that of the same index without delays at t = 10^4", cost(kMillion / 100)},
           {"10^5", cost(kMillion / 10)},
           {"10^6", cost(kMillion)},
           {"a mean delay of random play costs", exactly(waiting)},
           {"growth of the one over the other from 10^5 to 10^6", factor}}};
}

Finding klucb_is_overtaken(const Evidence& evidence) {
  const sim::Result &early = evidence.run("fig1/high"), &late = evidence.run("long/high");
  const Interval ahead = lag(early, "d-klucb", "d-ucb"), behind = lag(late, "d-klucb", "d-ucb");
  const Interval free_ahead = lag(early, "ud-klucb", "ud-ucb"), free_behind = lag(late, "ud-klucb", "ud-ucb");
  const std::array verdicts{below(ahead, 0), above(behind, 0), below(free_ahead, 0), above(free_behind, 0)};
  return {all_of(verdicts),
          {{"d-klucb's regret minus d-ucb's at T = 10^4, rates 0.5 0.4 0.3", ahead},
           {"at 10^6", behind},
           {"uncensored at 10^4", free_ahead},
           {"at 10^6", free_behind}}};
}

}  // namespace dbandit::study
