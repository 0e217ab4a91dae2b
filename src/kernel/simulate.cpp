#include "kernel/simulate.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "kernel/workspace.hpp"

namespace dbandit::kernel {

namespace {

/// Adds Σ_k w_k Ñ_k by the paper's buffer with the world's law, for policies that do not keep that exposure themselves. Up to 37 μ terms
/// near 1 are added when uncensored: in runs of 128, the runs in extended precision.
template <class ArmId>
void sum_world(const State& s, std::int64_t round, std::span<const double> weight, std::size_t count, double* regret) {
  constexpr std::int64_t kRun = 128;
  std::vector<double> run(s.arms * count);
  std::vector<long double> sum(s.arms * count);
  const auto* const ring = static_cast<const ArmId*>(s.ring);
  const std::int64_t filled = std::min(round, s.ring_length);
  for (std::int64_t begin = 0; begin < filled; begin += kRun) {
    std::fill(run.begin(), run.end(), 0.0);
    for (std::int64_t age = begin; age < std::min(begin + kRun, filled); ++age) {
      const ArmId* const slot = ring + static_cast<std::size_t>((round - age) % s.ring_length) * s.lanes;
      for (std::size_t lane = 0; lane < count; ++lane) {
        const auto arm = static_cast<std::size_t>(slot[lane]);
        run[arm * count + lane] += s.world_cdf[arm][age];
      }
    }
    for (std::size_t i = 0; i < run.size(); ++i) sum[i] += run[i];
  }
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    if (weight[arm] == 0) continue;
    const double visible = s.world_cdf[arm][s.ring_length];
    for (std::size_t lane = 0; lane < count; ++lane) {
      regret[lane] += weight[arm] * static_cast<double>(sum[arm * count + lane] + visible * s.matured[arm * s.lanes + lane]);
    }
  }
}

/// The regret of one row of the paths as start + Σ_k weight_k Ñ_k, Ñ by the world's law. With one law for all arms that is Σ Δ_k Ñ_k
/// (§2.1, Lemma 1). With a law each a pull loses θ* τ* − θ_k τ^k of its age, and the sum of the first terms is the same whatever is played:
/// `always_the_best` − Σ θ_k Ñ_k.
struct Loss {
  double start;
  std::span<const double> weight;
};

/// The loss, P = Σ Δ_k N_k and the realised regret into one row of the paths.
void record(const State& s, const model::Experiment& experiment, const Loss& loss, std::int64_t round, std::size_t row, std::size_t offset,
            std::size_t count, model::Paths& paths) {
  const auto& theta = experiment.problem.theta;
  const double best = *std::max_element(theta.begin(), theta.end());
  const std::size_t at = row * paths.lanes + offset;
  double* const __restrict regret = paths.regret.data() + at;
  double* const __restrict pseudo = paths.pseudo_regret.data() + at;
  std::fill_n(regret, count, loss.start);
  std::fill_n(pseudo, count, 0.0);
  if (s.world_at_records) {
    switch (s.arm_ids) {
      case ArmIds::byte:
        sum_world<std::uint8_t>(s, round, loss.weight, count, regret);
        break;
      case ArmIds::word:
        sum_world<std::uint16_t>(s, round, loss.weight, count, regret);
        break;
      case ArmIds::real:
        sum_world<double>(s, round, loss.weight, count, regret);
        break;
    }
  }
  const double unseen = s.decay.power[s.decay.phase], over = s.decay.matured;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    const double gap = best - theta[arm], weight = loss.weight[arm];
    const std::size_t first = arm * s.lanes;
    if (gap != 0) {
      for (std::size_t lane = 0; lane < count; ++lane) pseudo[lane] += gap * s.pulls[first + lane];
    }
    if (weight == 0 || s.world_at_records) continue;
    if (s.tracking == Tracking::deficit) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::size_t cell = first + lane;
        regret[lane] += weight * ((s.pulls[cell] - over * s.matured[cell]) - unseen * s.deficit[cell]);
      }
    } else {
      for (std::size_t lane = 0; lane < count; ++lane) regret[lane] += weight * s.exposure[first + lane];
    }
  }
  std::copy_n(s.missed, count, paths.realised_regret.data() + at);
}

}  // namespace

void simulate(Rounds rounds, const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver,
              model::Paths& paths, Profile* profile) {
  thread_local Workspace workspace;
  const std::size_t arms = experiment.problem.theta.size();
  paths.resize(block.count, experiment.at.size(), arms, static_cast<std::size_t>(experiment.horizon));
  const std::size_t together = lanes_together(experiment, exposure);
  const auto& theta = experiment.problem.theta;
  const bool common = experiment.problem.delay.common();
  const double best = *std::max_element(theta.begin(), theta.end());
  std::vector<double> weight;
  for (const double rate : theta) weight.push_back(common ? best - rate : -rate);
  const std::vector<double> start = common ? std::vector<double>(experiment.at.size()) : workspace.always_the_best(experiment);
  for (std::size_t offset = 0; offset < block.count; offset += together) {
    const model::Block part{block.first + offset, std::min(together, block.count - offset)};
    State& state = workspace.prepare(experiment, part, exposure, solver);
    std::int64_t round = 0;
    for (std::size_t row = 0; row < experiment.at.size(); ++row) {
      if (!paths.traced) {
        rounds(state, round + 1, experiment.at[row]);
      } else {
        for (std::int64_t t = round + 1; t <= experiment.at[row]; ++t) {
          rounds(state, t, t);
          for (std::size_t lane = 0; lane < part.count; ++lane) {
            paths.actions[static_cast<std::size_t>(t - 1) * paths.lanes + offset + lane] = static_cast<std::uint16_t>(state.action[lane]);
          }
        }
      }
      round = experiment.at[row];
      record(state, experiment, {start[row], weight}, round, row, offset, part.count, paths);
    }
    for (std::size_t arm = 0; arm < arms; ++arm) {
      std::copy_n(state.pulls + arm * state.lanes, part.count, paths.pulls.data() + arm * paths.lanes + offset);
    }
    if (profile != nullptr) {
      for (std::size_t stage = 0; stage < profile->ticks.size(); ++stage) profile->ticks[stage] += static_cast<double>(state.ticks[stage]);
      profile->decisions += static_cast<double>(state.decisions);
      profile->resolved += static_cast<double>(state.resolved);
    }
  }
}

}  // namespace dbandit::kernel
