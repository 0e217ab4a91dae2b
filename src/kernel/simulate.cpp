#include "kernel/simulate.hpp"

#include <algorithm>

#include "kernel/workspace.hpp"

namespace dbandit::kernel {

void simulate(Rounds rounds, Leaping leap, const model::Experiment& experiment, const model::Block& block, model::Exposure exposure,
              model::Solver solver, model::Paths& paths, Profile* profile) {
  Workspace& workspace = workspace_of_this_thread();
  const std::size_t arms = experiment.problem.theta.size();
  paths.resize(block.count, experiment.at.size(), arms, static_cast<std::size_t>(experiment.horizon));
  const std::size_t together = lanes_together(experiment, exposure);
  for (std::size_t offset = 0; offset < block.count; offset += together) {
    const model::Block part{block.first + offset, std::min(together, block.count - offset)};
    State& state = workspace.prepare(experiment, part, exposure, solver);
    const std::int64_t one_by_one = state.leap.is_on ? state.leap.after : experiment.horizon;
    const auto play = [&](std::int64_t first, std::int64_t last) {
      if (!paths.traced) return rounds(state, first, last);
      for (std::int64_t t = first; t <= last; ++t) {
        rounds(state, t, t);
        for (std::size_t lane = 0; lane < part.count; ++lane) {
          paths.actions[static_cast<std::size_t>(t - 1) * paths.lanes + offset + lane] = static_cast<std::uint16_t>(state.books.arm(lane));
        }
      }
    };
    std::int64_t round = 0;
    std::size_t row = 0;
    for (; row < experiment.at.size() && experiment.at[row] <= one_by_one; ++row) {
      play(round + 1, experiment.at[row]);
      round = experiment.at[row];
      state.regret.record(state.books, state.exposure, round, row, offset, part.count, paths);
    }
    if (state.leap.is_on) {
      play(round + 1, one_by_one);
      leap(state,
           {.at = experiment.at.data(),
            .rows = experiment.at.size(),
            .offset = offset,
            .paths = &paths,
            .actions = paths.traced ? paths.actions.data() + offset : nullptr,
            .stride = paths.lanes},
           row);
    }
    for (std::size_t arm = 0; arm < arms; ++arm) {
      std::copy_n(state.books.pulls + arm * state.books.lanes, part.count, paths.pulls.data() + arm * paths.lanes + offset);
    }
    if (profile != nullptr) {
      for (std::size_t stage = 0; stage < profile->ticks.size(); ++stage) profile->ticks[stage] += static_cast<double>(state.ticks[stage]);
      profile->decisions += static_cast<double>(state.policy.ties.decisions);
      profile->resolved += static_cast<double>(state.policy.ties.resolved);
      profile->looks += static_cast<double>(state.leap.looks);
      profile->leapt += static_cast<double>(state.leap.rounds);
    }
  }
}

}  // namespace dbandit::kernel
