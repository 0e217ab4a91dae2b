#include <fmt/format.h>
#include <fmt/ranges.h>

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

Finding naive_queues_learn_nothing(const Evidence& evidence) {
  const sim::Result& run = evidence.run("queues/naive");
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const std::string policy : {"qpmd-klucb-naive", "qpmd-ucb-naive"}) {
    const Interval over = paired_ratio(run, policy, "uniform", run.spec->horizon);
    finding.measured.push_back({policy + "'s regret over that of random play", over});
    verdicts.push_back(above(over, 1));
  }
  finding.verdict = all_of(verdicts);
  return finding;
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

// At every recorded round, not at one that was chosen: where it holds at some and fails at others, the finding says which.
Finding chance_helps_queues(const Evidence& evidence) {
  const sim::Result& run = evidence.run("bounded/1000");
  Finding finding;
  std::vector<Verdict> verdicts;
  std::array<std::vector<std::string>, 3> rounds;  // helps, hurts, not told
  for (const std::int64_t round : run.spec->at) {
    const Interval over = paired_ratio(run, "sdb", "qpmd-klucb", round);
    const std::string t = fmt::format("{}", round);
    finding.measured.push_back(
        {rounds[0].empty() && rounds[1].empty() && rounds[2].empty()
             ? "regret of sdb, which samples while it waits, over qpmd-klucb's, delays uniform up to 1000, at t = " + t
             : "at " + t,
         over});
    verdicts.push_back(below(over, 1));
    rounds[verdicts.back() == Verdict::holds ? 0 : verdicts.back() == Verdict::fails ? 1 : 2].push_back(t);
  }
  finding.verdict = all_of(verdicts);
  if (rounds[0].empty() || rounds[1].empty()) return finding;
  finding.verdict = Verdict::partly;
  finding.scope = fmt::format("t = {}; at t = {} the queue alone has less regret{}{}", fmt::join(rounds[0], ", "),
                              fmt::join(rounds[1], ", "), rounds[2].empty() ? "" : ", not told apart at t = ", fmt::join(rounds[2], ", "));
  return finding;
}

Finding correction_replaces_chance(const Evidence& evidence) {
  const sim::Result& run = evidence.run("bounded/1000");
  const Interval early = paired_ratio(run, "d-klucb", "sdb", 10'000), late = paired_ratio(run, "d-klucb", "sdb", kHorizon);
  const std::array verdicts{below(early, 1), below(late, 1)};
  return {all_of(verdicts), {{"d-klucb's regret over sdb's at 10^4, delays uniform up to 1000", early}, {"at 10^5", late}}};
}

// The longest delays are 8 times powers of two, so that the batches, which double from the longest delay on, end at the same rounds in all
// three worlds: what differs is how many outcomes are known by then. A batch that this makes necessary is as many rounds of exploration
// as the sentence says, and no round costs more than the largest gap.
Finding batches_cost_the_longest_delay(const Evidence& evidence) {
  const auto regret = [&](const std::string& run) { return at(evidence.run(run), "etc", "pseudo_regret", kHorizon); };
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const int longest : {1024, 4096}) {
    const Interval extra = difference(regret(fmt::format("bounded/{}", longest)), regret("bounded/8"));
    const Interval most = scaled(extra, 1 / (kLargestGap * longest));
    finding.measured.push_back(
        {fmt::format("etc's pseudo-regret beyond that with delays up to 8, over the largest gap times the longest delay, {} rounds",
                     longest),
         most});
    finding.measured.push_back({"over the mean gap times it", scaled(extra, 1 / (kMeanGap * longest))});
    verdicts.push_back(below(most, 1));
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

Finding batches_suffer_long_delays(const Evidence& evidence) {
  const auto extra = [&](const char* policy) {
    const auto regret = [&](const char* run) { return at(evidence.run(run), policy, "pseudo_regret", kHorizon); };
    return difference(regret("bounded/4096"), regret("bounded/8"));
  };
  const Interval batches = extra("etc"), corrected = extra("d-klucb");
  return {above(difference(batches, corrected), 0),
          {{"what delays up to 4096 instead of 8 add to etc's pseudo-regret, T = 10^5", batches}, {"to d-klucb's", corrected}}};
}

}  // namespace dbandit::study
