#include "kernel/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "dbandit/kernel/memory.hpp"
#include "dbandit/rng/draws.hpp"

namespace dbandit::kernel {

namespace {

bool learns_from_delays(model::Statistic statistic) {
  return statistic == model::Statistic::agnostic_mean || statistic == model::Statistic::agnostic_likelihood ||
         statistic == model::Statistic::agnostic_window;
}

}  // namespace

std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure) {
  // Forty bytes per arm and lane are read every round: 960 such cells just fit the first-level cache. Fewer than 128 lanes share the
  // costs of a round worse, more gain nothing.
  const std::size_t arms = experiment.problem.theta.size(), fitting = 960 / arms / 32 * 32;
  const std::size_t lanes = std::clamp<std::size_t>(fitting, 16, 128);
  // O(m) of state per lane, all of it read every round: stay in the second level.
  const bool heavy = experiment.rule.statistic == model::Statistic::agnostic_window || exposure == model::Exposure::buffer;
  return heavy ? std::min<std::size_t>(lanes, 32) : lanes;
}

void Workspace::Arena::hold(std::size_t bytes) {
  if (bytes <= size_) return;
  release();  // before there is more: old and new are never held together
  memory_ = static_cast<unsigned char*>(::operator new (bytes, std::align_val_t{kAlignment}));
  size_ = bytes;
}

void Workspace::Arena::release() {
  ::operator delete (memory_, std::align_val_t{kAlignment});
  memory_ = nullptr;
  size_ = 0;
}

/// Room that is left as it is: pages that are never written to are never there.
template <class T>
T* Workspace::room(std::size_t count) {
  const std::size_t at = arena_used_;
  arena_used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  return measuring_ ? nullptr : reinterpret_cast<T*>(arena_.data() + at);
}

/// A zeroed row. prepare_rows runs twice: once to measure, once to hand out.
template <class T>
T* Workspace::take(std::size_t count) {
  T* const row = room<T>(count);
  if (!measuring_) std::memset(static_cast<void*>(row), 0, count * sizeof(T));
  return row;
}

/// A row of constants: value(0), value(1), …
template <class T, class Value>
const T* Workspace::constants(std::size_t count, Value value) {
  T* const row = room<T>(count);
  for (std::size_t i = 0; i < count && !measuring_; ++i) row[i] = value(i);
  return row;
}

model::DelayTable& Workspace::table(const model::DelayLaw& law) {
  for (const auto& known : tables_) {
    if (known->law() == law) return *known;
  }
  return *tables_.emplace_back(std::make_unique<model::DelayTable>(law));
}

const model::GeometricFit& Workspace::fit(const model::DelayLaw& law, std::int64_t last, double tolerance) {
  for (const auto& known : fits_) {
    if (known->law == law && known->last == last && known->tolerance == tolerance) return known->fit;
  }
  return fits_.emplace_back(std::make_unique<Fitted>(Fitted{law, last, tolerance, model::fit_geometrics(law, last, tolerance)}))->fit;
}

/// What the delays are drawn from.
void Workspace::prepare_world(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays& delay = experiment.problem.delay;
  const auto& theta = experiment.problem.theta;
  s.best_arm = static_cast<std::size_t>(std::max_element(theta.begin(), theta.end()) - theta.begin());
  if (const model::Geometric* const law = delay.geometric()) {
    law_ = *law;
    s.law = &law_;
    s.inverse_log = law->mean == 0 ? 0 : static_cast<double>(-1 / std::log1p(1.0L / law->mean));
    return;
  }
  for (const model::DelayLaw& law : delay.laws) reads_.push_back({.law = &law, .survival = std::min(s.reach, s.horizon)});
  s.delays_by_arm = !delay.common();
}

/// How the exposure is kept, how long the ring is, and who knows the world's exposure for the regret.
void Workspace::prepare_tracking(const model::Experiment& experiment, model::Exposure exposure) {
  State& s = state_;
  const model::Delays &world = experiment.problem.delay, &believed = experiment.believed();
  const bool exposed = s.statistic == model::Statistic::exposure || s.samples;
  const bool buffered = exposure == model::Exposure::buffer, right = !exposed || believed == world;
  const model::Geometric* const geometric = exposed ? believed.geometric() : world.geometric();
  if (buffered) {
    s.tracking = Tracking::buffer;
  } else if (geometric != nullptr) {
    s.tracking = Tracking::deficit;
    prepare_decay(*geometric, experiment.window);
  } else if (!exposed) {
    s.tracking = Tracking::none;
  } else if (const auto* uniform = std::get_if<model::Uniform>(&believed.laws.front()); uniform && exposure != model::Exposure::approx) {
    s.tracking = Tracking::sums;
    s.sums_divisor = static_cast<double>(uniform->last + 1);
    s.echo_lag = std::min(uniform->last, experiment.window.value_or(uniform->last)) + 1;
  } else if (const auto* constant = std::get_if<model::Constant>(&believed.laws.front()); constant && exposure != model::Exposure::approx) {
    // A window that closes before the delay shows nothing, ever: every exposure stays 0.
    s.tracking = constant->delay > experiment.window.value_or(constant->delay) ? Tracking::none : Tracking::echo;
    s.echo_lag = constant->delay;
  } else if (const auto* stages = std::get_if<model::NegativeBinomial>(&believed.laws.front());
             stages && exposure != model::Exposure::approx) {
    s.tracking = Tracking::stages;
    prepare_stages(*stages);
  } else {
    s.tracking = Tracking::parts;
    prepare_parts(experiment);
  }
  s.echo_length = std::min(s.echo_lag, s.horizon);
  s.world_at_records = !right || (s.tracking == Tracking::none) || (buffered && !exposed);

  s.ring_length = s.window;
  if (!experiment.window && (buffered || s.world_at_records)) {
    s.ring_length = std::min(std::max(model::longest(world), buffered ? model::longest(believed) : 0), s.horizon);
    if (s.ring_length == 0) s.ring_length = 1;  // every delay is 0: one round is as good as none
  }
  s.arm_ids = buffered ? ArmIds::real : s.arms <= 256 ? ArmIds::byte : ArmIds::word;
  const auto read_cdfs = [&](const model::Delays& delays) {
    for (const model::DelayLaw& law : delays.laws) reads_.push_back({.law = &law, .cdf = s.ring_length});
  };
  if (buffered) read_cdfs(believed);
  if (s.world_at_records) read_cdfs(world);
}

void Workspace::prepare_decay(const model::Geometric& law, const model::Window& window) {
  State& s = state_;
  // ln ρ; −∞ when every delay is 0. Not by way of ρ, whose distance from 1 would be rounded: ρ^m would lose log10(m) digits, and a delay
  // of a long law a whole round.
  const long double rho_log = -std::log1p(1.0L / law.mean);
  const auto power = [&](std::int64_t exponent) {
    return exponent == 0 ? 1.0 : static_cast<double>(std::exp(rho_log * static_cast<long double>(exponent)));
  };
  Decay& decay = s.decay;
  decay.period = Decay::kPeriod;
  while (decay.period > 1 && power(decay.period) < 1e-100) decay.period /= 2;
  for (int j = 0; j <= decay.period; ++j) decay.power[j] = power(j);
  for (int j = 0; j < decay.period; ++j) {
    decay.pull[j] = power(-j);
    decay.leave[j] = window ? power(*window - j) : 0;
  }
  decay.matured = window ? power(*window + 1) : 0;
}

namespace {

/// ρ^exponent of a geometric law.
long double ratio_power(double mean, std::int64_t exponent) {
  return exponent == 0 ? 1 : std::exp(-std::log1p(1.0L / mean) * static_cast<long double>(exponent));
}

}  // namespace

/// The geometric parts that every law is the sum of, for all arms or for each.
void Workspace::prepare_parts(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays& believed = experiment.believed();
  const std::int64_t last = std::min(experiment.window.value_or(s.horizon), s.horizon);
  parts_.clear();
  s.parts = 0;
  s.parts_period = Decay::kPeriod;
  for (const model::DelayLaw& law : believed.laws) {
    const auto& parts = fit(law, last, experiment.tolerance).parts;
    long double total = 1;
    if (std::holds_alternative<model::Mixture>(law)) {
      total = 0;
      for (const auto& part : parts) total += part.weight;
    }
    parts_.push_back({.parts = &parts, .total = total});
    s.parts = std::max(s.parts, parts.size());
    for (const auto& part : parts) {
      while (s.parts_period > 1 && ratio_power(part.mean, s.parts_period) < 1e-100L) s.parts_period /= 2;
    }
  }
  s.coefficients_stride = parts_.size() * s.parts;
  s.parts_stride = believed.common() ? 0 : s.parts;
}

/// Part i of all laws, one law after the other. Laws with fewer parts have more of no weight.
model::Mixture::Part Workspace::part(std::size_t i) const {
  const auto& [parts, total] = parts_[i / state_.parts];
  if (i % state_.parts >= parts->size()) return {0, 1};
  const auto& [weight, mean] = (*parts)[i % state_.parts];
  return {static_cast<double>(weight / total), mean};
}

void Workspace::prepare_part_rows(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays& believed = experiment.believed();
  s.coefficients =
      constants<PartCoefficients>(static_cast<std::size_t>(s.parts_period) * s.coefficients_stride, [&](std::size_t i) -> PartCoefficients {
        const auto phase = static_cast<std::int64_t>(i / s.coefficients_stride);
        const auto [weight, mean] = part(i % s.coefficients_stride);
        const long double leave = experiment.window ? weight * ratio_power(mean, *experiment.window - phase) : 0;
        return {static_cast<double>(weight * ratio_power(mean, -phase)), static_cast<double>(leave),
                static_cast<double>(ratio_power(mean, phase + 1))};
      });
  s.renewal = constants<double>(s.coefficients_stride,
                                [&](std::size_t i) { return static_cast<double>(ratio_power(part(i).mean, s.parts_period)); });
  s.window_survival = constants<double>(
      s.arms, [&](std::size_t arm) { return experiment.window ? model::survival(believed[arm], *experiment.window) : 0; });
}

/// After m + 1 failures and i successes a pull of age m is in stage i + 1: C(m + i, i) p^i q^{m+1}.
void Workspace::prepare_stages(const model::NegativeBinomial& law) {
  State& s = state_;
  const auto r = static_cast<long double>(law.stages);
  s.parts = static_cast<std::size_t>(law.stages);
  s.stage_chance = static_cast<double>(r / (r + law.mean));
}

void Workspace::prepare_stage_rows(const model::NegativeBinomial& law, const model::Window& window) {
  const auto r = static_cast<long double>(law.stages);
  const long double p = r / (r + law.mean);
  long double left = window && law.mean > 0 ? std::exp(static_cast<long double>(*window + 1) * -std::log1p(r / law.mean)) : 0;
  state_.stage_left = constants<double>(state_.parts, [&](std::size_t i) {
    if (i > 0 && left > 0) left *= p * static_cast<long double>(*window + static_cast<std::int64_t>(i)) / static_cast<long double>(i);
    return static_cast<double>(left);
  });
}

/// What a block is told once: thresholds, gaps, coefficients, where the tables of the laws are.
void Workspace::prepare_constants(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays &world = experiment.problem.delay, &believed = experiment.believed();
  const auto& theta = experiment.problem.theta;
  s.threshold = constants<std::uint64_t>(s.arms, [&](std::size_t arm) { return rng::conversion_threshold(theta[arm]); });
  s.gap = constants<double>(s.arms, [&](std::size_t arm) { return theta[s.best_arm] - theta[arm]; });
  if (s.law == nullptr) {
    s.delay_tables = constants<const model::DelayTable*>(world.laws.size(), [&](std::size_t i) { return &table(world.laws[i]); });
  }
  const auto cdf_of = [&](const model::Delays& delays) {
    return constants<const double*>(s.arms, [&](std::size_t arm) { return table(delays[arm]).cdf(s.ring_length); });
  };
  if (s.tracking == Tracking::buffer) s.cdf = cdf_of(believed);
  if (s.world_at_records) s.world_cdf = cdf_of(world);
  if (s.statistic == model::Statistic::matured && !believed.common()) {
    s.window_cdf_by_arm = constants<double>(s.arms, [&](std::size_t arm) { return model::cdf(believed[arm], *experiment.window); });
  }
  if (s.tracking == Tracking::parts) prepare_part_rows(experiment);
  if (s.tracking == Tracking::stages) prepare_stage_rows(std::get<model::NegativeBinomial>(believed.laws.front()), experiment.window);
}

void Workspace::prepare_rows() {
  State& s = state_;
  const std::size_t cells = s.arms * s.lanes;
  if (s.world_at_records) {
    s.visible_run = room<double>(cells);
    s.visible = room<long double>(cells);
  }
  start_key_ = room<std::uint64_t>(s.arms);
  start_position_ = room<std::uint16_t>(s.arms);
  for (double** row : {&s.pulls, &s.matured, &s.deficit, &s.conversions, &s.base, &s.gain, &s.exposure}) *row = take<double>(cells);
  s.missed = take<double>(s.lanes);
  s.action = take<double>(s.lanes);
  s.order = take<std::uint16_t>(cells);
  const std::size_t id = s.arm_ids == ArmIds::byte ? 1 : s.arm_ids == ArmIds::word ? 2 : 8;
  s.ring = take<unsigned char>(static_cast<std::size_t>(s.ring_length) * s.lanes * id);
  if (s.tracking == Tracking::parts || s.tracking == Tracking::stages) s.waiting = take<double>(cells * s.parts);
  if (s.tracking == Tracking::stages) s.carry = take<double>(cells);
  if (s.tracking == Tracking::sums) {
    s.growing = take<double>(cells);
    s.ages = take<double>(cells);
  }
  s.gone = take<double>(s.lanes);
  s.echo_ring = take<unsigned char>(static_cast<std::size_t>(s.echo_length) * s.lanes * id);
  if (learns_from_delays(s.statistic)) {
    s.mean_delay = take<double>(s.lanes);
    s.observed = take<double>(s.lanes);
    s.delay_total = take<double>(s.lanes);
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
    s.queued = take<std::uint8_t>(cells * s.queue_length);
    s.fate = take<std::uint8_t>(static_cast<std::size_t>(s.window) * s.lanes);
    s.steps = take<std::int64_t>(s.lanes);
    s.wish = take<std::uint32_t>(s.lanes);
  }
  if (s.takes_turns) {
    s.dropped = take<std::uint8_t>(cells);
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

/// The pool is as large as it can ever be needed, and lies untouched until it is. Who is filed in a round is gone `buckets` rounds later,
/// so at most a round's entries times `buckets` are pending; a bucket of c entries needs (c − 1)/14 chunks beyond its first.
template <class Entry>
void Workspace::prepare_calendar(Calendar<Entry>& calendar) {
  const State& s = state_;
  const std::size_t buckets = static_cast<std::size_t>(std::min(s.reach, s.horizon)) + 1;
  const std::size_t filed_in_a_round = s.lanes * (s.delays_by_arm ? 3 : 1);
  calendar = {};
  const std::size_t pool = filed_in_a_round * buckets / Calendar<Entry>::kEntries;
  calendar.buckets = calendar.used = static_cast<std::uint32_t>(buckets);
  calendar.capacity = static_cast<std::uint32_t>(buckets + pool);
  calendar.chunks = take<typename Calendar<Entry>::Chunk>(buckets);
  room<typename Calendar<Entry>::Chunk>(pool);
}

void Workspace::prepare_start(model::StartOrder order) {
  State& s = state_;
  std::uint64_t* const key = start_key_;
  const std::span position(start_position_, s.arms);
  for (std::size_t lane = 0; lane < s.lanes; ++lane) {
    std::iota(position.begin(), position.end(), std::uint16_t{0});
    if (order == model::StartOrder::permuted) {
      for (std::size_t arm = 0; arm < s.arms; ++arm) key[arm] = rng::start_key(s.seed, s.first + lane, arm);
      std::sort(position.begin(), position.end(), [&](auto a, auto b) { return key[a] != key[b] ? key[a] > key[b] : a < b; });
    }
    for (std::size_t i = 0; i < s.arms; ++i) s.order[i * s.lanes + lane] = position[i];
  }
}

/// What is to be kept, and how much of it.
void Workspace::describe(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  const model::Rule& rule = experiment.rule;
  State& s = state_;
  s = State{};
  s.lanes = padded_lanes(block.count);
  s.arms = experiment.problem.theta.size();
  s.first = block.first;
  s.seed = experiment.seed;
  s.horizon = experiment.horizon;
  s.window = std::min(experiment.window.value_or(0), s.horizon);  // no pull gets older
  const std::int64_t longest = model::longest(experiment.problem.delay);
  s.reach = std::min(experiment.window.value_or(longest), longest);
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
  s.window_cdf = experiment.window ? model::cdf(experiment.believed()[0], *experiment.window) : 1;
  s.solver = solver;
  if (tables_.size() > 2 * s.arms + 16) tables_.clear();
  if (fits_.size() > 2 * s.arms + 16) fits_.clear();
  reads_.clear();
  prepare_tracking(experiment, exposure);
  switch (rule.statistic) {
    case model::Statistic::exposure:
    case model::Statistic::queue_heuristic:
      s.denominator = s.tracking == Tracking::deficit ? Denominator::recursion : Denominator::row;
      break;
    case model::Statistic::matured:
      s.denominator = !experiment.believed().common() ? Denominator::row : Denominator::matured;
      break;
    case model::Statistic::immediate:
    case model::Statistic::uncorrected:
      s.denominator = Denominator::pulls;
      break;
    default:
      s.denominator = Denominator::row;
  }
  prepare_world(experiment);

  if (s.queues && rule.statistic != Statistic::queue_naive) s.queue_length = static_cast<std::size_t>(s.window) + 1;
  s.batch_end = std::max(experiment.window.value_or(s.horizon), static_cast<std::int64_t>(s.arms));

  s.best_threshold = rng::conversion_threshold(experiment.problem.theta[s.best_arm]);

  s.radius_scale = rule.statistic == model::Statistic::matured && rule.radius == model::Radius::paper ? 0.5 * s.window_cdf : 0.5;
}

/// One walk over everything that is kept: measures it, or hands it out.
void Workspace::lay_out(const model::Experiment& experiment) {
  State& s = state_;
  arena_used_ = 0;
  prepare_constants(experiment);
  prepare_rows();
  if (learns_from_delays(s.statistic)) {
    prepare_calendar(s.calendar_of_delays);
  } else {
    prepare_calendar(s.calendar);
  }
}

double Workspace::measure(const model::Experiment& experiment, std::size_t lanes, model::Exposure exposure,
                          std::vector<TableRead>& tables) {
  describe(experiment, {.first = 0, .count = lanes}, exposure, model::Solver::direct);
  measuring_ = true;
  lay_out(experiment);
  for (const TableRead& read : reads_) {
    const auto known = std::find_if(tables.begin(), tables.end(), [&](const TableRead& other) { return *other.law == *read.law; });
    TableRead& table = known != tables.end() ? *known : tables.emplace_back(TableRead{.law = read.law});
    table.survival = std::max(table.survival, read.survival);
    table.cdf = std::max(table.cdf, read.cdf);
  }
  double bytes = static_cast<double>(arena_used_) + static_cast<double>(4 * reads_.size() * sizeof(TableRead));
  if (state_.tracking == Tracking::parts) {
    const std::int64_t last = std::min(experiment.window.value_or(state_.horizon), state_.horizon);
    double fitting = 0;
    for (const model::DelayLaw& law : experiment.believed().laws) {
      bytes += static_cast<double>(sizeof(Fitted) + 4 * sizeof(LawParts) + model::heap_bytes(law) +
                                   2 * state_.parts * sizeof(model::Mixture::Part));
      fitting = std::max(fitting, model::fit_bytes(law, last));
    }
    bytes += fitting;
  }
  return bytes;
}

StateBytes state_bytes(std::span<const model::Experiment> experiments, std::size_t block_lanes, model::Exposure exposure) {
  StateBytes bytes;
  std::vector<Workspace::TableRead> tables;
  for (const model::Experiment& experiment : experiments) {
    const std::size_t lanes = std::min(block_lanes, lanes_together(experiment, exposure));
    bytes.rows = std::max(bytes.rows, workspace_of_this_thread().measure(experiment, lanes, exposure, tables));
  }
  for (const auto& [law, survival, cdf] : tables) bytes.tables += model::DelayTable::bytes(*law, survival, cdf);
  return bytes;
}

State& Workspace::prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver) {
  describe(experiment, block, exposure, solver);
  for (const TableRead& read : reads_) {
    model::DelayTable& here = table(*read.law);
    if (read.survival >= 0) here.reach(read.survival);
    if (read.cdf >= 0) here.cdf(read.cdf);
  }
  measuring_ = true;
  lay_out(experiment);
  arena_.hold(arena_used_);
  measuring_ = false;
  lay_out(experiment);

  State& s = state_;
  if (s.statistic == model::Statistic::agnostic_window) {
    const std::size_t width = s.narrow_counts ? 2 : 4;
    std::fill_n(static_cast<unsigned char*>(s.recent), State::recent_stride(s.window) * s.lanes * width, 0xFF);  // no arm yet
    s.recent_at = s.window + 2;
  }
  prepare_start(experiment.rule.start);
  return s;
}

Workspace& workspace_of_this_thread() {
  thread_local Workspace workspace;
  return workspace;
}

}  // namespace dbandit::kernel
