#include "kernel/workspace.hpp"

#include <algorithm>
#include <span>

#include "kernel/memory.hpp"

namespace dbandit::kernel {

void State::size(const Setup& setup, const model::Block& block) {
  const model::Experiment& e = setup.experiment;
  books.lanes = padded_lanes(block.count);
  books.replicas = block.count;
  books.arms = e.problem.theta.size();
  books.first = block.first;
  books.seed = e.seed;
  books.horizon = e.horizon;
  books.window = std::min(e.window.value_or(0), e.horizon);
  assert(books.lanes <= Entry<std::uint32_t>::kMost && books.arms + 1 <= Entry<std::uint32_t>::kMost);
  const auto [feedback, wants_exposure] = traits(e);
  exposure.size(setup, books, wants_exposure);
  policy.size(setup, books);
  world.size(setup, books, feedback, policy.learned().kind != LearnedDelays::Kind::none);
  leap.size(setup, books, world, exposure, policy);
  regret.size(setup, books, exposure);
}

void State::declare(Rows& rows, const Setup& setup) {
  books.declare(rows);
  exposure.declare(rows, books);
  policy.declare(rows, books);
  world.declare(rows, books);
  regret.declare(rows, setup, books);
  leap.declare(rows, books);
}

void State::fill(const Setup& setup) {
  const bool permuted = setup.experiment.rule.start == model::StartOrder::permuted;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    books.sort_arms([&](std::size_t arm) { return permuted ? rng::start_key(books.seed, books.first + lane, arm) : 0; });
    for (std::size_t place = 0; place < books.arms; ++place) books.order[place * books.lanes + lane] = books.sorted[place];
  }
  exposure.fill(setup, books);
  policy.fill(setup, books);
  world.draws.fill(setup);
  regret.fill(setup, books);
  leap.fill(setup, books, world, exposure, policy);
}

State& Workspace::prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  const Setup setup{experiment, exposure, solver, tables_};
  tables_.begin(experiment.problem.theta.size());
  state_ = {};
  state_.size(setup, block);
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
  state.size(setup, {.first = 0, .count = lanes});
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
  if (experiment.guest != nullptr) return Entry<std::uint32_t>::kMost / kLaneGroup * kLaneGroup;  // as many as it is asked about at once
  // Forty bytes per arm and lane are read every round: 960 such cells just fit the first-level cache. Fewer than 128 lanes share the
  // costs of a round worse, more gain nothing.
  const std::size_t arms = experiment.problem.theta.size(), fitting = 960 / arms / 32 * 32;
  const std::size_t lanes = std::clamp<std::size_t>(fitting, 16, 128);
  // O(m) of state per lane, all of it read every round: stay in the second level.
  return exposure == model::Exposure::buffer ? std::min<std::size_t>(lanes, 32) : lanes;
}

}  // namespace dbandit::kernel
