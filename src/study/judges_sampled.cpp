#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/bounds.hpp"
#include "reference/learner.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

/// What an arm's statistics are at the end of a path.
struct ArmEnd {
  double pulls = 0, conversions = 0, exposure = 0;
  double log_ratio = 0, divergence = 0;  ///< of what was seen, under θ and another rate (§4, Lemma 2), and Σ d(θτ, θ'τ)
};

/// A rate that no arm of the small world has.
double other_rate(double theta) { return 0.5 * theta + 0.3; }

/// A small world in which a path is short and a window matters.
sim::Settings small_world(const Evidence& evidence) {
  sim::Settings spec;
  spec.theta = {0.5, 0.3, 0.1};
  spec.delay = model::Geometric{20};
  spec.censor = 40;
  spec.horizon = 200;
  spec.policies = {"uniform"};
  spec.at = {200};
  spec.seed = evidence.seed;
  spec.replicas = evidence.effort == Effort::quick ? 8192 : 65'536;
  return spec;
}

/// Plays a policy on the fast engine and rebuilds the sums of §5.1 from its actions and the draws, by their definitions.
void for_each_path(const sim::Settings& spec, const std::string& policy, const std::function<void(const std::vector<ArmEnd>&)>& visit) {
  const model::Experiment experiment = sim::experiment(spec, policy);
  const auto horizon = static_cast<std::uint64_t>(spec.horizon);
  const auto candidates = rng::Candidates::of(spec.seed, spec.theta);
  constexpr std::size_t lanes = 128;
  model::Paths paths;
  paths.traced = true;
  for (std::uint64_t first = 0; first < static_cast<std::uint64_t>(spec.replicas); first += lanes) {
    kernel::best_target().simulate(experiment, {.first = first, .count = lanes}, model::Exposure::recursion, model::Solver::direct, paths,
                                   nullptr);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::vector<ArmEnd> arms(spec.theta.size());
      for (std::uint64_t s = 1; s <= horizon; ++s) {
        const std::size_t k = paths.actions[(s - 1) * paths.lanes + lane];
        const auto waited = static_cast<std::int64_t>(horizon - s), age = std::min(waited, spec.censor.value_or(waited));
        const bool converts = candidates.converts(first + lane, s, spec.theta[k]);
        const bool visible = converts && model::delay_at(spec.delay, rng::open_uniform(rng::delay_bits(spec.seed, first + lane, s))) <= age;
        arms[k].pulls += 1;
        arms[k].conversions += visible ? 1 : 0;
        const double tau = model::cdf(spec.delay, age), theta = spec.theta[k], other = other_rate(theta);
        arms[k].exposure += tau;
        arms[k].log_ratio += visible ? std::log(theta / other) : std::log((1 - theta * tau) / (1 - other * tau));
        arms[k].divergence += model::bernoulli_divergence(theta * tau, other * tau);
      }
      visit(arms);
    }
  }
}

/// How often an upper confidence bound misses, over what it may, of the arm that is missed most, at levels where it promises something: a
/// bound of 1 or more on a chance is no bound.
using Misses = std::function<bool(const ArmEnd&, double theta, double level)>;
Finding coverage(const Evidence& evidence, const std::string& policy, const Misses& misses, double (*allowed)(double level, double t)) {
  const sim::Settings spec = small_world(evidence);
  std::vector<double> levels;
  for (double level = 4; levels.size() < 4; level += 0.5) {
    if (allowed(level, static_cast<double>(spec.horizon)) < 1) levels.push_back(level);
  }
  std::vector<std::vector<double>> missed(levels.size(), std::vector<double>(spec.theta.size()));
  for_each_path(spec, policy, [&](const std::vector<ArmEnd>& arms) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      for (std::size_t k = 0; k < arms.size(); ++k) missed[i][k] += misses(arms[k], spec.theta[k], levels[i]) ? 1 : 0;
    }
  });
  Finding finding;
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double most = allowed(levels[i], static_cast<double>(spec.horizon));
    const Interval share = scaled(proportion(std::ranges::max(missed[i]), static_cast<double>(spec.replicas)), 1 / most);
    finding.measured.push_back(
        {fmt::format("{}level {}, where the bound is {:.2g}",
                     i == 0 ? "frequency of misses of " + policy + " over the bound, the arm missed most, T = 200, " : "", levels[i], most),
         share});
    verdicts.push_back(below(share, 1));
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

}  // namespace

Finding regret_is_lost_conversions(const Evidence& evidence) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const auto& [name, policy] : {std::pair{"fig1/low", "d-klucb"}, {"fig1/low", "ud-ucb"}, {"uniform/censored", "uniform"}}) {
    const sim::Result& run = evidence.run(name);
    const Interval off = luck(run, policy);
    finding.measured.push_back({std::string("conversions lost against the oracle minus L(T), ") + policy, off});
    verdicts.push_back(nothing(off));
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

Finding regret_is_near_pseudo_regret(const Evidence& evidence) {
  const double bound = 500 * (0.05 + 0.07);  // μ Σ Δ_k of θ_L
  Finding finding;
  std::vector<Verdict> verdicts;
  const auto gap = [&](const std::string& name, const std::string& policy) { return unseen(evidence.run(name), policy); };
  for (const auto& [name, policy] : {std::pair{"fig1/low", "ud-klucb"}, {"fig1/low", "ud-ucb"}, {"uniform/uncensored", "uniform"}}) {
    const Interval measured = gap(name, policy);
    finding.measured.push_back({std::string("ΣΔN − L at T, ") + policy, measured});
    verdicts.insert(verdicts.end(), {measured.high >= 0 ? Verdict::holds : Verdict::fails, below(measured, bound)});
  }
  const Interval censored = gap("uniform/censored", "uniform");
  finding.measured.push_back({"allowed: μΣΔ", exactly(bound)});
  finding.measured.push_back({"uniform with a window", censored});
  return only_for("the uncensored setting; with a window the difference grows for ever", all_of(verdicts), below(censored, bound),
                  finding.measured);
}

Finding estimator_is_unbiased(const Evidence& evidence) {
  const sim::Settings spec = small_world(evidence);
  const auto sample = [&](const std::string& policy) {
    std::array<std::vector<double>, 2> values;  // S − θÑ and θ̂ − θ of the last arm
    for_each_path(spec, policy, [&](const std::vector<ArmEnd>& arms) {
      const ArmEnd& arm = arms.back();
      values[0].push_back(arm.conversions - spec.theta.back() * arm.exposure);
      values[1].push_back(arm.conversions / arm.exposure - spec.theta.back());
    });
    return std::array{interval_of(stats::moments(values[0])), interval_of(stats::moments(values[1]))};
  };
  const auto blind = sample("uniform"), adaptive = sample("d-ucb");
  const std::array verdicts{nothing(blind[1]), nothing(adaptive[0])};
  return only_for("arms chosen without looking at the data; otherwise E[S] = θE[Ñ], but the quotient is biased downwards", all_of(verdicts),
                  nothing(adaptive[1]),
                  {{"bias of θ̂ of an arm with θ = 0.1 when arms are drawn at random", blind[1]},
                   {"mean of S − θÑ when d-ucb chooses", adaptive[0]},
                   {"bias of θ̂ when d-ucb chooses", adaptive[1]}});
}

Finding ucb_coverage(const Evidence& evidence) {
  return coverage(
      evidence, "d-ucb",
      [](const ArmEnd& arm, double theta, double beta) {
        return theta > (arm.conversions + std::sqrt(arm.pulls * beta / 2)) / arm.exposure;
      },
      [](double beta, double t) { return beta * std::exp(1 - beta) * std::log(t); });
}

Finding klucb_coverage(const Evidence& evidence) {
  return coverage(
      evidence, "d-klucb",
      [](const ArmEnd& arm, double theta, double delta) {
        const double estimate = arm.conversions / arm.exposure;
        return estimate < theta && arm.exposure * model::poisson_divergence(estimate, theta) > delta;
      },
      [](double delta, double t) { return std::exp(1 - delta) * std::ceil(delta * std::log(t)); });
}

/// What the base of the reference's learner has been fed by the end of its path: the naive queue beside the one with a timeout.
Finding queued_mean_sticks_to_one(const Evidence& evidence) {
  const sim::Settings spec = small_world(evidence);
  const auto means = [&](const std::string& policy) {
    const reference::Learner newcomer(sim::experiment(spec, policy), model::Exposure::buffer);
    const auto candidates = rng::Candidates::of(spec.seed, spec.theta);
    const std::vector<std::size_t> start{2, 1, 0};
    std::vector<double> sample;
    for (std::uint64_t replica = 0; replica < 500; ++replica) {
      reference::Learner learner = newcomer.of(replica);
      for (std::uint64_t t = 1; t <= static_cast<std::uint64_t>(spec.horizon); ++t) {
        const std::size_t arm = learner.candidates(start).front();
        const bool converts = candidates.converts(replica, t, spec.theta[arm]);
        learner.play(arm, converts, model::delay_at(spec.delay, rng::open_uniform(rng::delay_bits(spec.seed, replica, t))));
      }
      for (const reference::ArmStatistics& arm : learner.fed()) {
        if (arm.pulls > 0) sample.push_back(arm.conversions / arm.pulls);
      }
    }
    return interval_of(stats::moments(sample));
  };
  const Interval naive = means("qpmd-ucb-naive"), timeout = means("qpmd-ucb");
  const std::array verdicts{above(naive, 0.999), below(timeout, 0.7)};
  return {all_of(verdicts),
          {{"mean of what the base is fed, conversions only, rates 0.5 0.3 0.1", naive}, {"with a 0 at the end of the window", timeout}}};
}

/// Given the past, the log-likelihood ratio of what a pull will show has mean d(θτ, θ'τ): so have the sums, whoever chooses the arms.
Finding likelihood_ratio_is_the_divergence(const Evidence& evidence) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const std::string policy : {"d-ucb", "ud-ucb"}) {
    sim::Settings spec = small_world(evidence);
    if (policy == "ud-ucb") spec.censor.reset();
    std::vector<double> surplus, ratio;
    for_each_path(spec, policy, [&](const std::vector<ArmEnd>& arms) {
      double of_path = 0, expected = 0;
      for (const ArmEnd& arm : arms) {
        of_path += arm.log_ratio;
        expected += arm.divergence;
      }
      surplus.push_back(of_path - expected);
      ratio.push_back(of_path);
    });
    const Interval off = interval_of(stats::moments(surplus));
    finding.measured.push_back({policy + ", T = 200: log-likelihood ratio of the observations minus Σ d(θτ, θ'τ)", off});
    finding.measured.push_back({"the ratio itself", interval_of(stats::moments(ratio))});
    verdicts.push_back(nothing(off));
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

}  // namespace dbandit::study
