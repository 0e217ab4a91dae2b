#include "kernel/workspace.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "dbandit/kernel/memory.hpp"

namespace dbandit::kernel {

void State::size(const Setup& setup, std::uint64_t first, std::size_t lanes) {
  const model::Experiment& e = setup.experiment;
  books.lanes = lanes;
  books.arms = e.problem.theta.size();
  books.first = first;
  books.seed = e.seed;
  books.horizon = e.horizon;
  books.window = std::min(e.window.value_or(0), e.horizon);
  assert(lanes % kLaneGroup == 0 && lanes <= Entry<std::uint32_t>::kMost && books.arms + 1 <= Entry<std::uint32_t>::kMost);
  exposure.size(setup, books, Policy::wants_exposure(e.rule));
  policy.size(setup, books);
  world.size(setup, books, Policy::feedback(e.rule), policy.learned.kind != LearnedDelays::Kind::none);
  regret.size(setup, books, exposure);
}

void State::declare(Rows& rows, const Setup& setup) {
  books.declare(rows);
  exposure.declare(rows, books);
  policy.declare(rows, books);
  world.declare(rows, books);
  regret.declare(rows, setup, books);
}

void State::fill(const Setup& setup) {
  books.fill(setup.experiment.rule.start == model::StartOrder::permuted);
  exposure.fill(setup, books);
  policy.fill(setup, books);
  world.draws.fill(setup);
  regret.fill(setup, books);
}

/// Rounds 1 … K play the arms by falling key.
void Books::fill(bool permuted) const {
  const std::span position(start_position, arms);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::iota(position.begin(), position.end(), std::uint16_t{0});
    if (permuted) {
      for (std::size_t arm = 0; arm < arms; ++arm) start_key[arm] = rng::start_key(seed, first + lane, arm);
      std::ranges::sort(position, [&](auto a, auto b) { return start_key[a] != start_key[b] ? start_key[a] > start_key[b] : a < b; });
    }
    for (std::size_t i = 0; i < arms; ++i) order[i * lanes + lane] = position[i];
  }
}

State& Workspace::prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  const Setup setup{experiment, exposure, solver, tables_};
  tables_.begin(experiment.problem.theta.size());
  state_ = {};
  state_.size(setup, block.first, padded_lanes(block.count));
  tables_.make();
  Rows measured;
  state_.declare(measured, setup);
  Rows rows(arena_.hold(measured.bytes()));
  state_.declare(rows, setup);
  state_.fill(setup);
  return state_;
}

double Workspace::measure(const model::Experiment& experiment, std::size_t lanes, model::Exposure exposure) {
  const Setup setup{experiment, exposure, model::Solver::direct, tables_};
  State state;
  state.size(setup, 0, padded_lanes(lanes));
  Rows rows;
  state.declare(rows, setup);
  const bool is_fitted = state.exposure.form == Exposure::Form::parts;
  return static_cast<double>(rows.bytes()) + (is_fitted ? state.exposure.parts.fit_bytes(experiment) : 0);
}

StateBytes state_bytes(std::span<const model::Experiment> experiments, std::size_t block_lanes, model::Exposure exposure) {
  Workspace& workspace = workspace_of_this_thread();
  StateBytes bytes;
  workspace.tables().begin(experiments.front().problem.theta.size());
  for (const model::Experiment& experiment : experiments) {
    const std::size_t lanes = std::min(block_lanes, lanes_together(experiment, exposure));
    bytes.rows = std::max(bytes.rows, workspace.measure(experiment, lanes, exposure));
  }
  bytes.tables = workspace.tables().bytes();
  return bytes;
}

Workspace& workspace_of_this_thread() {
  thread_local Workspace workspace;
  return workspace;
}

std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure) {
  // Forty bytes per arm and lane are read every round: 960 such cells just fit the first-level cache. Fewer than 128 lanes share the
  // costs of a round worse, more gain nothing.
  const std::size_t arms = experiment.problem.theta.size(), fitting = 960 / arms / 32 * 32;
  const std::size_t lanes = std::clamp<std::size_t>(fitting, 16, 128);
  // O(m) of state per lane, all of it read every round: stay in the second level.
  const bool heavy = experiment.rule.statistic == model::Statistic::agnostic_window || exposure == model::Exposure::buffer;
  return heavy ? std::min<std::size_t>(lanes, 32) : lanes;
}

}  // namespace dbandit::kernel
