#include "kernel/simulate.hpp"

#include <algorithm>
#include <span>

#include "kernel/workspace.hpp"

namespace dbandit::kernel {

namespace {

/// Σ_k Δ_k Ñ_k by the paper's buffer with the world's law, for policies that do not keep that exposure themselves. Up to 37 μ terms near
/// 1 are added when uncensored: in runs of 128, the runs in extended precision.
template <class ArmId>
void sum_world(const State& s, std::int64_t round, std::size_t count, double* regret) {
  constexpr std::int64_t kRun = 128;
  const std::span run(s.visible_run, s.arms * count);
  const std::span sum(s.visible, s.arms * count);
  std::fill(sum.begin(), sum.end(), 0.0L);
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
    if (s.gap[arm] == 0) continue;
    const double visible = s.world_cdf[arm][s.ring_length];
    for (std::size_t lane = 0; lane < count; ++lane) {
      regret[lane] += s.gap[arm] * static_cast<double>(sum[arm * count + lane] + visible * s.matured[arm * s.lanes + lane]);
    }
  }
}

/// L = Σ Δ_k Ñ_k with Ñ by the world's law, P = Σ Δ_k N_k (§2.1, Lemma 1), and the realised regret, into one row of the paths.
void record(const State& s, std::int64_t round, std::size_t row, std::size_t offset, std::size_t count, model::Paths& paths) {
  const std::size_t at = row * paths.lanes + offset;
  double* const __restrict regret = paths.regret.data() + at;
  double* const __restrict pseudo = paths.pseudo_regret.data() + at;
  std::fill_n(regret, count, 0.0);
  std::fill_n(pseudo, count, 0.0);
  if (s.world_at_records) {
    switch (s.arm_ids) {
      case ArmIds::byte:
        sum_world<std::uint8_t>(s, round, count, regret);
        break;
      case ArmIds::word:
        sum_world<std::uint16_t>(s, round, count, regret);
        break;
      case ArmIds::real:
        sum_world<double>(s, round, count, regret);
        break;
    }
  }
  const double unseen = s.decay.power[s.decay.phase], over = s.decay.matured;
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    if (s.gap[arm] == 0) continue;
    const std::size_t first = arm * s.lanes;
    for (std::size_t lane = 0; lane < count; ++lane) pseudo[lane] += s.gap[arm] * s.pulls[first + lane];
    if (s.world_at_records) continue;
    if (s.tracking == Tracking::deficit) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::size_t cell = first + lane;
        regret[lane] += s.gap[arm] * ((s.pulls[cell] - over * s.matured[cell]) - unseen * s.deficit[cell]);
      }
    } else {
      for (std::size_t lane = 0; lane < count; ++lane) regret[lane] += s.gap[arm] * s.exposure[first + lane];
    }
  }
  std::copy_n(s.missed, count, paths.realised_regret.data() + at);
}

}  // namespace

void simulate(Rounds rounds, const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver,
              model::Paths& paths, Profile* profile) {
  Workspace& workspace = workspace_of_this_thread();
  const std::size_t arms = experiment.problem.theta.size();
  paths.resize(block.count, experiment.at.size(), arms, static_cast<std::size_t>(experiment.horizon));
  const std::size_t together = lanes_together(experiment, exposure);
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
      record(state, round, row, offset, part.count, paths);
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
