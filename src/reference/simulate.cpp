#include "reference/simulate.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

#include "reference/guest.hpp"
#include "reference/learner.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"

namespace dbandit::reference {
namespace {

/// Rounds 1 … K: the arms by falling key, so that every permutation is as likely.
std::vector<std::size_t> start_order(const model::Experiment& experiment, std::uint64_t replica) {
  std::vector<std::size_t> order(experiment.problem.theta.size());
  std::iota(order.begin(), order.end(), 0);
  if (experiment.rule.start == model::StartOrder::permuted) {
    const auto key = [&](std::size_t arm) { return rng::start_key(experiment.seed, replica, arm); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  }
  return order;
}

/// Uniform among the candidates: the largest key wins, the lowest arm if keys are equal.
std::size_t settle(const model::Experiment& experiment, std::uint64_t replica, std::uint64_t round,
                   std::span<const std::size_t> candidates) {
  if (candidates.size() == 1 || experiment.rule.ties == model::Ties::lowest) return candidates.front();
  const auto key = [&](std::size_t arm) { return rng::tie_key(experiment.seed, replica, round, arm); };
  return *std::max_element(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}

/// (C_s, D_s) of §2.1 at the address of the round. One mark serves every arm, so all policies meet the same world.
Outcome draw(const model::Experiment& experiment, const rng::Candidates& candidates, std::uint64_t replica, std::uint64_t round,
             std::size_t arm, std::size_t best) {
  if (!candidates.at(replica, round)) return {};
  const model::Problem& problem = experiment.problem;
  const std::uint64_t mark = candidates.mark(replica, round);
  Outcome outcome{.converts = mark < candidates.limit(problem.theta[arm]), .best_converts = mark < candidates.limit(problem.theta[best])};
  if (outcome.converts || outcome.best_converts) {
    const double v = rng::open_uniform(rng::delay_bits(experiment.seed, replica, round));
    outcome.delay = model::delay_at(problem.delay[arm], v);
    outcome.best_delay = model::delay_at(problem.delay[best], v);
  }
  return outcome;
}

/// One replica that is being played.
class Replica {
 public:
  Replica(const model::Experiment& experiment, const rng::Candidates& world, const Learner& newcomer, std::size_t best,
          std::uint64_t replica)
      : experiment_(experiment),
        world_(world),
        best_(best),
        replica_(replica),
        start_(start_order(experiment, replica)),
        learner_(newcomer.of(replica)) {}

  /// The arms between which the next round is a toss, and who wins it.
  [[nodiscard]] std::vector<std::size_t> tied() const { return learner_.candidates(start_); }
  [[nodiscard]] std::size_t winner(std::span<const std::size_t> tied) const { return settle(experiment_, replica_, next(), tied); }
  void play(std::size_t arm) {
    outcomes_.push_back(draw(experiment_, world_, replica_, next(), arm, best_));
    learner_.play(arm, outcomes_.back().converts, outcomes_.back().delay);
  }

  [[nodiscard]] const Learner& learner() const { return learner_; }
  [[nodiscard]] std::span<const Outcome> outcomes() const { return outcomes_; }

 private:
  [[nodiscard]] std::uint64_t next() const { return static_cast<std::uint64_t>(learner_.round() + 1); }

  const model::Experiment& experiment_;
  const rng::Candidates& world_;
  std::size_t best_;
  std::uint64_t replica_;
  std::vector<std::size_t> start_;
  Learner learner_;
  std::vector<Outcome> outcomes_;
};

}  // namespace

/// One replica: what happened in every round, in vectors that grow by doubling; pending conversions in nodes of a tree; for every arm a
/// dozen numbers and a queue, all of it twice (the learner that is copied); and the tables of τ, believed ones twice too.
double simulation_bytes(const model::Experiment& experiment) {
  constexpr double kDoubling = 3;
  const auto rounds = static_cast<double>(experiment.horizon), arms = static_cast<double>(experiment.problem.theta.size());
  const double ages = 1 + std::min(rounds, static_cast<double>(experiment.window.value_or(experiment.horizon)));
  const double tables = static_cast<double>(experiment.problem.delay.laws.size() + 2 * experiment.believed().laws.size() + 2);
  const double a_round = kDoubling * (sizeof(Outcome) + sizeof(Actions::value_type) + 1) + 64 + 2;
  return a_round * rounds + 2 * arms * (12 * sizeof(double) + 1024) + kDoubling * sizeof(double) * ages * tables;
}

void simulate(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Paths& paths) {
  assert((exposure == model::Exposure::history || exposure == model::Exposure::buffer) && "recursions are the fast engine's");
  const model::Problem& problem = experiment.problem;
  const std::size_t best = best_arm(problem, experiment.window);
  const std::vector<double> gap = gaps(problem);
  const std::vector<std::vector<double>> tau = visibilities(problem.delay, experiment.window, experiment.horizon);
  const Learner newcomer(experiment, exposure);
  const auto candidates = rng::Candidates::of(experiment.seed, problem.theta);

  paths.resize(block.count, experiment.at.size(), problem.theta.size(), static_cast<std::size_t>(experiment.horizon));
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    Replica replica(experiment, candidates, newcomer, best, block.first + lane);
    const Learner& learner = replica.learner();
    std::size_t record = 0;
    for (std::int64_t t = 1; t <= experiment.horizon; ++t) {
      const std::size_t arm = replica.winner(replica.tied());
      replica.play(arm);
      if (paths.traced) paths.actions[static_cast<std::size_t>(t - 1) * paths.lanes + lane] = static_cast<std::uint16_t>(arm);
      if (record < experiment.at.size() && experiment.at[record] == t) {
        const std::size_t cell = record++ * paths.lanes + lane;
        paths.regret[cell] = problem.delay.common() ? regret(gap, learner.actions(), std::span<const double>(tau.front()))
                                                    : regret_by_arm(problem, best, learner.actions(), tau);
        paths.pseudo_regret[cell] = pseudo_regret(gap, learner.actions());
        paths.realised_regret[cell] = static_cast<double>(realised_regret(replica.outcomes(), experiment.window));
      }
    }
    for (const auto arm : learner.actions()) paths.pulls[arm * paths.lanes + lane] += 1;
  }
}

void trace(const model::Experiment& experiment, std::uint64_t replica, model::Exposure exposure, std::int64_t last,
           const std::function<void(const Step&)>& each) {
  const auto candidates = rng::Candidates::of(experiment.seed, experiment.problem.theta);
  Replica played(experiment, candidates, Learner(experiment, exposure), best_arm(experiment.problem, experiment.window), replica);
  std::optional<GuestPlayer> guest;
  if (experiment.guest != nullptr) guest.emplace(experiment, replica);
  for (std::int64_t t = 1; t <= last; ++t) {
    Step step;
    step.round = t, step.known = played.learner().statistics();
    const bool asks = guest && t > static_cast<std::int64_t>(step.known.size());
    if (asks) {
      step.indices = guest->indices(t, step.known, played.learner().actions(), played.outcomes());
    } else {
      const double beta = exploration(experiment.rule.epsilon, t);
      for (const ArmStatistics& arm : step.known) step.indices.push_back(guest ? 0 : index(experiment.rule, arm, beta));
    }
    const std::vector<std::size_t> tied = asks ? GuestPlayer::largest(step.indices) : played.tied();
    step.tied = tied.size(), step.arm = played.winner(tied);
    const auto before = played.learner().conversions();
    step.disclosed.assign(before.begin(), before.end());
    played.play(step.arm);
    const auto after = played.learner().conversions();
    for (std::size_t k = 0; k < after.size(); ++k) step.disclosed[k] = after[k] - step.disclosed[k];
    step.outcome = played.outcomes().back();
    if (guest) guest->observe(t, step.arm, step.disclosed);
    each(step);
  }
}

}  // namespace dbandit::reference
