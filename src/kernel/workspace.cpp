#include "kernel/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dbandit/model/best_arm.hpp"
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
  return statistic == model::Statistic::agnostic_mean || statistic == model::Statistic::agnostic_likelihood ||
         statistic == model::Statistic::agnostic_window;
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

/// [arm] τ_0 … τ_{ring_length}.
std::vector<const double*> Workspace::cdfs(const model::Delays& delays) {
  for (const model::DelayLaw& law : delays.laws) table(law).cdf(state_.ring_length);
  std::vector<const double*> rows;
  for (std::size_t arm = 0; arm < state_.arms; ++arm) rows.push_back(table(delays[arm]).cdf(state_.ring_length));
  return rows;
}

std::vector<double> Workspace::always_the_best(const model::Experiment& experiment) {
  const std::size_t best = model::best_arm(experiment.problem, experiment.window);
  const model::DelayLaw& law = experiment.problem.delay[best];
  const std::int64_t longest = model::longest_delay(law);
  const std::int64_t last = std::min({experiment.window.value_or(longest), longest, experiment.horizon});
  const double* const cdf = table(law).cdf(last);
  std::vector<double> shown;
  double sum = 0, lost = 0;  // compensated: up to millions of terms near 1, good to 1e-9
  std::int64_t age = 0;
  for (const std::int64_t t : experiment.at) {
    for (; age < std::min(t, last); ++age) {
      const double term = cdf[age] - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    shown.push_back(experiment.problem.theta[best] * (sum + static_cast<double>(t - age) * cdf[last]));
  }
  return shown;
}

/// What the delays are drawn from.
void Workspace::prepare_world(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays& delay = experiment.problem.delay;
  s.best_arm = model::best_arm(experiment.problem, experiment.window);
  if (const model::Geometric* const law = delay.geometric()) {
    law_ = *law;
    s.law = &law_;
    s.inverse_log = law->mean == 0 ? 0 : static_cast<double>(-1 / std::log1p(1.0L / law->mean));
    return;
  }
  delay_tables_.clear();
  for (const model::DelayLaw& law : delay.laws) {
    model::DelayTable& known = table(law);
    known.reach(std::min(s.reach, s.horizon));
    delay_tables_.push_back(&known);
  }
  s.delay_tables = delay_tables_.data();
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
    prepare_stages(*stages, experiment.window);
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
  if (buffered) {
    believed_cdf_ = cdfs(believed);
    s.cdf = believed_cdf_.data();
  }
  if (s.world_at_records) {
    world_cdf_ = cdfs(world);
    s.world_cdf = world_cdf_.data();
  }
  if (s.statistic == model::Statistic::matured && !believed.common()) {
    window_cdf_.clear();
    for (std::size_t arm = 0; arm < s.arms; ++arm) window_cdf_.push_back(model::cdf(believed[arm], *experiment.window));
    s.window_cdf_by_arm = window_cdf_.data();
  }
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

/// The coefficients of every geometric part, for all arms or for each. Arms with fewer parts have more of no weight.
void Workspace::prepare_parts(const model::Experiment& experiment) {
  State& s = state_;
  const model::Delays& believed = experiment.believed();
  const std::int64_t last = std::min(experiment.window.value_or(s.horizon), s.horizon);
  std::vector<std::vector<model::Mixture::Part>> laws;
  s.parts = 0;
  for (const model::DelayLaw& law : believed.laws) {
    laws.push_back(fit(law, last, experiment.tolerance).parts);
    long double total = 1;
    if (std::holds_alternative<model::Mixture>(law)) {
      total = 0;
      for (const auto& part : laws.back()) total += part.weight;
    }
    for (auto& part : laws.back()) part.weight = static_cast<double>(part.weight / total);
    s.parts = std::max(s.parts, laws.back().size());
  }
  constexpr model::Mixture::Part kNoPart{0, 1};
  for (auto& parts : laws) parts.resize(s.parts, kNoPart);

  const auto power = [](double mean, std::int64_t exponent) -> long double {
    return exponent == 0 ? 1 : std::exp(-std::log1p(1.0L / mean) * static_cast<long double>(exponent));
  };
  s.parts_period = Decay::kPeriod;
  for (const auto& parts : laws) {
    for (const auto& part : parts) {
      while (s.parts_period > 1 && power(part.mean, s.parts_period) < 1e-100L) s.parts_period /= 2;
    }
  }
  coefficients_.clear();
  renewal_.clear();
  for (int phase = 0; phase < s.parts_period; ++phase) {
    for (const auto& parts : laws) {
      for (const auto& [weight, mean] : parts) {
        const long double leave = experiment.window ? weight * power(mean, *experiment.window - phase) : 0;
        coefficients_.push_back(
            {static_cast<double>(weight * power(mean, -phase)), static_cast<double>(leave), static_cast<double>(power(mean, phase + 1))});
        if (phase == 0) renewal_.push_back(static_cast<double>(power(mean, s.parts_period)));
      }
    }
  }
  window_survival_.clear();
  for (std::size_t arm = 0; arm < s.arms; ++arm) {
    window_survival_.push_back(experiment.window ? model::survival(believed[arm], *experiment.window) : 0);
  }
  s.coefficients = coefficients_.data();
  s.coefficients_stride = laws.size() * s.parts;
  s.parts_stride = believed.common() ? 0 : s.parts;
  s.renewal = renewal_.data();
  s.window_survival = window_survival_.data();
}

/// After m + 1 failures and i successes a pull of age m is in stage i + 1: C(m + i, i) p^i q^{m+1}.
void Workspace::prepare_stages(const model::NegativeBinomial& law, const model::Window& window) {
  State& s = state_;
  const auto r = static_cast<long double>(law.stages);
  const long double p = r / (r + law.mean);
  s.parts = static_cast<std::size_t>(law.stages);
  s.stage_chance = static_cast<double>(p);
  stage_left_.assign(s.parts, 0);
  if (window && law.mean > 0) {
    long double left = std::exp(static_cast<long double>(*window + 1) * -std::log1p(r / law.mean));
    for (std::int64_t i = 0; i < law.stages; ++i) {
      if (i > 0) left *= p * static_cast<long double>(*window + i) / static_cast<long double>(i);
      stage_left_[static_cast<std::size_t>(i)] = static_cast<double>(left);
    }
  }
  s.stage_left = stage_left_.data();
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
  prepare_tracking(experiment, exposure);
  switch (rule.statistic) {
    case model::Statistic::exposure:
    case model::Statistic::queue_heuristic:
      s.denominator = s.tracking == Tracking::deficit ? Denominator::recursion : Denominator::row;
      break;
    case model::Statistic::matured:
      s.denominator = s.window_cdf_by_arm != nullptr ? Denominator::row : Denominator::matured;
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

  threshold_.clear();
  for (double theta : experiment.problem.theta) threshold_.push_back(rng::conversion_threshold(theta));
  s.threshold = threshold_.data();
  s.best_threshold = *std::max_element(threshold_.begin(), threshold_.end());

  s.radius_scale = rule.statistic == model::Statistic::matured && rule.radius == model::Radius::paper ? 0.5 * s.window_cdf : 0.5;

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
