#include "kernel/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dbandit/model/delay_law.hpp"
#include "dbandit/rng/draws.hpp"

namespace dbandit::kernel {

namespace {

template <class Entry>
void enlarge(Calendar<Entry>& calendar) {
  auto& chunks = *static_cast<AlignedVector<typename Calendar<Entry>::Chunk>*>(calendar.owner);
  chunks.resize(chunks.size() * 2);
  calendar.chunks = chunks.data();
  calendar.capacity = static_cast<std::uint32_t>(chunks.size());
}

template <class Entry>
void open(Calendar<Entry>& calendar, AlignedVector<typename Calendar<Entry>::Chunk>& chunks, std::int64_t buckets) {
  chunks.assign(std::max(chunks.size(), static_cast<std::size_t>(buckets) + 64), {});
  calendar = {};
  calendar.chunks = chunks.data();
  calendar.buckets = static_cast<std::uint32_t>(buckets);
  calendar.capacity = static_cast<std::uint32_t>(chunks.size());
  calendar.used = calendar.buckets;
  calendar.owner = &chunks;
}

bool learns_from_delays(model::Statistic statistic) {
  return statistic == model::Statistic::agnostic_mean || statistic == model::Statistic::agnostic_window;
}

}  // namespace

void grow(Calendar<std::uint32_t>& calendar) { enlarge(calendar); }
void grow(Calendar<std::uint64_t>& calendar) { enlarge(calendar); }

std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure) {
  // Forty bytes per arm and lane are read every round: 960 such cells just fit the first-level cache. Fewer than 128 lanes share the
  // costs of a round worse, more gain nothing.
  const std::size_t arms = experiment.problem.theta.size(), fitting = 960 / arms / 32 * 32;
  const std::size_t lanes = std::clamp<std::size_t>(fitting, 16, 128);
  // O(m) of state per lane, all of it read every round: stay in the second level.
  const bool heavy = experiment.rule.statistic == model::Statistic::agnostic_window || exposure == model::Exposure::buffer;
  return heavy ? std::min<std::size_t>(lanes, 32) : lanes;
}

/// A zeroed row from the arena. prepare_rows runs twice: once to measure, once to hand out.
template <class T>
T* Workspace::take(std::size_t count) {
  const std::size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t at = arena_used_;
  arena_used_ += bytes;
  return measuring_ ? nullptr : reinterpret_cast<T*>(arena_.data() + at);
}

void Workspace::prepare_decay(const model::Experiment& experiment) {
  State& s = state_;
  // ln ρ; −∞ when every delay is 0. Not by way of ρ, whose distance from 1 would be rounded: ρ^m would lose log10(m) digits, and a delay
  // of a long law a whole round.
  const long double rho_log = -std::log1p(1.0L / model::mean(law_));
  const auto power = [&](std::int64_t exponent) {
    return exponent == 0 ? 1.0 : static_cast<double>(std::exp(rho_log * static_cast<long double>(exponent)));
  };
  Decay& decay = s.decay;
  decay = {};
  decay.period = Decay::kPeriod;
  while (decay.period > 1 && power(decay.period) < 1e-100) decay.period /= 2;
  for (int j = 0; j <= decay.period; ++j) decay.power[j] = power(j);
  for (int j = 0; j < decay.period; ++j) {
    decay.pull[j] = power(-j);
    decay.leave[j] = experiment.window ? power(*experiment.window - j) : 0;
  }
  decay.matured = experiment.window ? power(*experiment.window + 1) : 0;
  s.inverse_log = std::isinf(rho_log) ? 0 : static_cast<double>(1 / rho_log);
}

void Workspace::prepare_rows() {
  State& s = state_;
  const std::size_t cells = s.arms * s.lanes;
  for (double** row : {&s.pulls, &s.matured, &s.deficit, &s.conversions, &s.base, &s.gain, &s.exposure}) *row = take<double>(cells);
  s.missed = take<double>(s.lanes);
  s.action = take<double>(s.lanes);
  s.order = take<std::uint16_t>(cells);
  const std::size_t id = s.arm_ids == ArmIds::byte ? 1 : s.arm_ids == ArmIds::word ? 2 : 8;
  s.ring = take<unsigned char>(static_cast<std::size_t>(s.ring_length) * s.lanes * id);
  if (learns_from_delays(s.statistic)) {
    s.mean_delay = take<double>(s.lanes);
    s.observed = take<double>(s.lanes);
    s.unseen = take<double>(cells);
    s.matches = take<double>(cells);
  }
  if (s.statistic == model::Statistic::agnostic_window) {
    const std::size_t width = s.narrow_counts ? 2 : 4;
    s.recent = take<unsigned char>(State::recent_stride(s.window) * s.lanes * width);
    s.histogram = take<unsigned char>(State::histogram_stride(s.window) * s.lanes * width);
  }
  if (s.samples) s.unsure = take<std::uint32_t>(cells);
  if (s.queues) {
    for (double** row : {&s.fed, &s.fed_conversions, &s.arrived, &s.expired}) *row = take<double>(cells);
    for (std::uint32_t** row : {&s.queue_head, &s.queue_size}) *row = take<std::uint32_t>(cells);
    s.waiting = take<std::uint8_t>(cells * s.queue_length);
    s.fate = take<std::uint8_t>(static_cast<std::size_t>(s.window) * s.lanes);
    s.steps = take<std::int64_t>(s.lanes);
    s.wish = take<std::uint32_t>(s.lanes);
  }
  if (s.takes_turns) {
    s.gone = take<std::uint8_t>(cells);
    s.turn = take<std::uint32_t>(s.lanes);
    s.phase = take<std::int32_t>(s.lanes);
  }
  s.words = take<std::uint64_t>(2 * State::words_stride(s.lanes));
  for (std::uint64_t** row : {&s.counter, &s.moment, &s.uniform}) *row = take<std::uint64_t>(State::batch_size(s.lanes));
  s.delay = take<double>(State::batch_size(s.lanes));
  s.due = take<std::uint32_t>(s.lanes + 16);
  s.entries = take<std::uint64_t>(s.lanes + 16);
  s.undecided = take<std::uint32_t>(s.lanes);
  s.changed = take<std::uint32_t>(State::kChanged);
  s.touched = take<double>(3 * State::kChanged);
  s.tie_keys = take<std::uint32_t>(cells);
}

void Workspace::prepare_calendar() {
  State& s = state_;
  const std::int64_t buckets = std::min(s.reach, s.horizon) + 1;
  if (learns_from_delays(s.statistic)) {
    open(s.calendar_of_delays, chunks_of_delays_, buckets);
  } else {
    open(s.calendar, chunks_, buckets);
  }
}

void Workspace::prepare_start(model::StartOrder order) {
  State& s = state_;
  std::vector<std::uint64_t> key(s.arms, 0);
  std::vector<std::uint16_t> position(s.arms);
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    std::iota(position.begin(), position.end(), std::uint16_t{0});
    if (order == model::StartOrder::permuted) {
      for (std::size_t arm = 0; arm < s.arms; ++arm) key[arm] = rng::start_key(s.seed, s.first + lane, arm);
      std::sort(position.begin(), position.end(), [&](auto a, auto b) { return key[a] != key[b] ? key[a] > key[b] : a < b; });
    }
    for (std::size_t i = 0; i < s.arms; ++i) s.order[i * s.lanes + lane] = position[i];
  }
}

State& Workspace::prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  const model::Rule& rule = experiment.rule;
  State& s = state_;
  s = State{};
  law_ = experiment.problem.delay;
  s.law = &law_;
  s.lanes = padded_lanes(block.count);
  s.arms = experiment.problem.theta.size();
  s.first = block.first;
  s.seed = experiment.seed;
  s.horizon = experiment.horizon;
  s.window = std::min(experiment.window.value_or(0), s.horizon);  // no pull gets older
  s.reach = std::min(experiment.window.value_or(model::longest_delay(law_)), model::longest_delay(law_));
  if (rule.statistic == model::Statistic::matured) s.reach = s.window;
  s.statistic = rule.statistic;
  s.index = rule.index;
  s.clamped = rule.clamp == model::Clamp::one;
  s.lowest_ties = rule.ties == model::Ties::lowest;
  s.epsilon = rule.epsilon;
  s.gamma = rule.gamma;
  s.prior_shape = rule.prior_shape;
  s.prior_rate = rule.prior_rate;
  using model::Statistic;
  s.samples = rule.index == model::IndexForm::thompson || rule.statistic == Statistic::queue_heuristic;
  s.queues = rule.statistic == Statistic::queue_naive || rule.statistic == Statistic::queue || rule.statistic == Statistic::queue_heuristic;
  s.takes_turns = rule.index == model::IndexForm::batches || rule.index == model::IndexForm::phases;
  s.has_radius =
      (rule.index == model::IndexForm::ucb || rule.index == model::IndexForm::patient) && rule.statistic != Statistic::none && !s.queues;
  s.narrow_counts = s.horizon < 65536 && s.arms < 65535;
  s.window_cdf = experiment.window ? model::cdf(law_, *experiment.window) : 1;
  s.exposure_by = exposure;
  s.solver = solver;
  const bool buffered = exposure == model::Exposure::buffer;
  switch (rule.statistic) {
    case model::Statistic::exposure:
    case model::Statistic::queue_heuristic:
      s.denominator = buffered ? Denominator::row : Denominator::recursion;
      break;
    case model::Statistic::matured:
      s.denominator = Denominator::matured;
      break;
    case model::Statistic::immediate:
    case model::Statistic::uncorrected:
      s.denominator = Denominator::pulls;
      break;
    default:
      s.denominator = Denominator::row;
  }
  s.ring_length = buffered ? experiment.window.value_or(std::min(s.reach, s.horizon)) : s.window;
  if (buffered && s.ring_length == 0) s.ring_length = 1;  // every delay is 0: one round is as good as none
  s.ring_length = std::min(s.ring_length, s.horizon);
  s.arm_ids = buffered ? ArmIds::real : s.arms <= 256 ? ArmIds::byte : ArmIds::word;

  if (s.queues && rule.statistic != Statistic::queue_naive) s.queue_length = static_cast<std::size_t>(s.window) + 1;
  s.batch_end = std::max(experiment.window.value_or(s.horizon), static_cast<std::int64_t>(s.arms));

  threshold_.clear();
  for (double theta : experiment.problem.theta) threshold_.push_back(rng::conversion_threshold(theta));
  s.threshold = threshold_.data();
  s.best_threshold = *std::max_element(threshold_.begin(), threshold_.end());

  s.radius_scale = rule.statistic == model::Statistic::matured && rule.radius == model::Radius::paper ? 0.5 * s.window_cdf : 0.5;

  if (buffered) {
    cdf_.clear();
    for (std::int64_t d = 0; d <= s.ring_length; ++d) cdf_.push_back(model::cdf(law_, d));
    s.cdf = cdf_.data();
  }
  prepare_decay(experiment);
  for (const bool measuring : {true, false}) {
    measuring_ = measuring;
    arena_used_ = 0;
    prepare_rows();
    if (measuring) arena_.assign(arena_used_, 0);
  }
  if (s.statistic == model::Statistic::agnostic_window) {
    const std::size_t width = s.narrow_counts ? 2 : 4;
    std::fill_n(static_cast<unsigned char*>(s.recent), State::recent_stride(s.window) * s.lanes * width, 0xFF);  // no arm yet
    s.recent_at = s.window + 2;
  }
  prepare_calendar();
  prepare_start(rule.start);
  return s;
}

}  // namespace dbandit::kernel
