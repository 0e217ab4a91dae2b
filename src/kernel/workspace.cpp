#include "kernel/workspace.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace dbandit::kernel {

namespace {

template <class Word>
void open(Calendar<Word>& calendar, AlignedVector<typename Calendar<Word>::Chunk>& chunks, std::int64_t buckets) {
  chunks.assign(std::max(chunks.size(), Calendar<Word>::initial_chunks(buckets)), {});
  calendar = {};
  calendar.chunks = chunks.data();
  calendar.buckets = static_cast<std::uint32_t>(buckets);
  calendar.capacity = static_cast<std::uint32_t>(chunks.size());
  calendar.used = calendar.buckets;
  calendar.owner = &chunks;
}

/// Rounds 1 … K play the arms by falling key.
void fill_order(const Books& books, model::StartOrder order) {
  std::vector<std::uint64_t> key(books.arms, 0);
  std::vector<std::uint16_t> position(books.arms);
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    std::iota(position.begin(), position.end(), std::uint16_t{0});
    if (order == model::StartOrder::permuted) {
      for (std::size_t arm = 0; arm < books.arms; ++arm) key[arm] = rng::start_key(books.seed, books.first + lane, arm);
      std::sort(position.begin(), position.end(), [&](auto a, auto b) { return key[a] != key[b] ? key[a] > key[b] : a < b; });
    }
    for (std::size_t i = 0; i < books.arms; ++i) books.order[i * books.lanes + lane] = position[i];
  }
}

}  // namespace

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
}

void State::declare(Rows& rows) {
  books.declare(rows);
  exposure.declare(rows, books);
  policy.declare(rows, books);
  world.declare(rows, books);
}

void State::fill(const Setup& setup) {
  fill_order(books, setup.experiment.rule.start);
  exposure.fill(setup, books);
  policy.fill(setup, books);
  world.fill(setup, books);
}

State& Workspace::prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  tables_.limit(experiment.problem.theta.size());
  const Setup setup{experiment, exposure, solver, tables_};
  state_ = {};
  state_.size(setup, block.first, padded_lanes(block.count));
  Rows measured;
  state_.declare(measured);
  rows_.assign(measured.bytes(), 0);
  Rows rows(rows_.data());
  state_.declare(rows);
  state_.fill(setup);
  World& world = state_.world;
  if (world.tells_delays) {
    open(world.calendar_of_delays, chunks_of_delays_, world.buckets(state_.books));
  } else {
    open(world.calendar, chunks_, world.buckets(state_.books));
  }
  return state_;
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
