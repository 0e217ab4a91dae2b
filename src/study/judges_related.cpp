#include <algorithm>
#include <array>

#include "reference/learner.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

constexpr std::int64_t kHorizon = 100'000;

/// Of θ_L: what a round costs while arms are drawn at random, and at most.
constexpr double kMeanGap = (0.05 + 0.07) / 3, kLargestGap = 0.07;

}  // namespace

Finding queues_work_when_bounded(const Evidence& evidence) {
  const sim::Result& run = evidence.run("bounded/1000");
  const Interval share = scaled(at(run, "qpmd-klucb", "pseudo_regret", kHorizon), 1 / (kMeanGap * static_cast<double>(kHorizon)));
  return {below(share, 0.1),
          {{"qpmd-klucb's pseudo-regret over that of random play, delays uniform up to m = 1000, T = 10^5", share},
           {"its regret over d-klucb's at 10^4", paired_ratio(run, "qpmd-klucb", "d-klucb", 10'000)},
           {"at 10^5", paired_ratio(run, "qpmd-klucb", "d-klucb", kHorizon)},
           {"growth of the one over the other from 10^4 to 10^5", growth_ratio(run, "qpmd-klucb", "d-klucb", 10'000, kHorizon)}}};
}

// A one is certain when it is disclosed, a zero only at the end of the window: in order of arrival the ones come first. Where all outcomes
// are as old when they arrive, what the base is fed is a martingale difference and its sum has mean zero.
Finding ones_overtake_zeros(const Evidence& evidence) {
  const auto surplus = [&](const model::DelayLaw& law) {
    sim::Settings spec;
    spec.theta = {0.5, 0.3, 0.1};
    spec.delay = law;
    spec.censor = 40;
    spec.horizon = 200;
    spec.policies = {"qpmd-ucb"};
    spec.seed = evidence.seed;
    const reference::Learner newcomer(sim::experiment(spec, "qpmd-ucb"), model::Exposure::buffer);
    const auto candidates = rng::Candidates::of(spec.seed, spec.theta);
    const std::vector<std::size_t> start{2, 1, 0};
    std::vector<double> sample;
    for (std::uint64_t replica = 0; replica < (evidence.effort == Effort::quick ? 500U : 2000U); ++replica) {
      reference::Learner learner = newcomer.of(replica);
      for (std::uint64_t t = 1; t <= static_cast<std::uint64_t>(spec.horizon); ++t) {
        const std::size_t arm = learner.candidates(start).front();
        const bool converts = candidates.converts(replica, t, spec.theta[arm]);
        learner.play(arm, converts, model::delay_at(law, rng::open_uniform(rng::delay_bits(spec.seed, replica, t))));
      }
      double fed = 0, ones = 0;
      for (std::size_t k = 0; k < spec.theta.size(); ++k) {
        fed += learner.fed()[k].pulls;
        ones += learner.fed()[k].conversions - spec.theta[k] * learner.fed()[k].pulls;
      }
      if (fed > 0) sample.push_back(ones / fed);
    }
    return interval_of(stats::moments(sample));
  };
  const Interval spread = surplus(model::Uniform{40}), together = surplus(model::Constant{40});
  const std::array verdicts{above(spread, 0), below(difference(together, spread), 0)};
  return {all_of(verdicts),
          {{"share of ones that qpmd-ucb is fed beyond the rates, delays uniform up to m = 40, T = 200", spread},
           {"when every outcome arrives at age 40", together}}};
}

Finding chance_helps_queues(const Evidence& evidence) {
  const sim::Result& run = evidence.run("bounded/1000");
  const auto over = [&](std::int64_t round) { return paired_ratio(run, "sdb", "qpmd-klucb", round); };
  return only_for("horizons of a few of the longest delays; later the queue alone is ahead", below(over(2000), 1), below(over(kHorizon), 1),
                  {{"regret of sdb, which samples while it waits, over qpmd-klucb's at t = 1000, delays uniform up to 1000", over(1000)},
                   {"at 2000", over(2000)},
                   {"at 10^4", over(10'000)},
                   {"at 10^5", over(kHorizon)}});
}

Finding correction_replaces_chance(const Evidence& evidence) {
  const sim::Result& run = evidence.run("bounded/1000");
  const Interval early = paired_ratio(run, "d-klucb", "sdb", 10'000), late = paired_ratio(run, "d-klucb", "sdb", kHorizon);
  const std::array verdicts{below(early, 1), below(late, 1)};
  return {all_of(verdicts), {{"d-klucb's regret over sdb's at 10^4, delays uniform up to 1000", early}, {"at 10^5", late}}};
}

Finding batches_cost_the_longest_delay(const Evidence& evidence) {
  const auto regret = [&](const char* run) { return at(evidence.run(run), "etc", "pseudo_regret", kHorizon); };
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const auto& [name, longest] : {std::pair{"bounded/1000", 1000}, {"bounded/4000", 4000}}) {
    const Interval extra = scaled(difference(regret(name), regret("bounded/10")), 1 / (kLargestGap * longest));
    finding.measured.push_back({"etc's pseudo-regret beyond that with delays up to 10, over the largest gap times the longest delay, " +
                                    std::to_string(longest) + " rounds",
                                extra});
    verdicts.insert(verdicts.end(), {above(extra, 0.25), below(extra, 2)});
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

Finding batches_suffer_long_delays(const Evidence& evidence) {
  const auto extra = [&](const char* policy) {
    const auto regret = [&](const char* run) { return at(evidence.run(run), policy, "pseudo_regret", kHorizon); };
    return difference(regret("bounded/4000"), regret("bounded/10"));
  };
  const Interval batches = extra("etc"), corrected = extra("d-klucb");
  return {above(difference(batches, corrected), 0),
          {{"what delays up to 4000 instead of 10 add to etc's pseudo-regret, T = 10^5", batches}, {"to d-klucb's", corrected}}};
}

}  // namespace dbandit::study
