// What the leaping engine does in scalar and rarely: compiled once for the baseline CPU.
#include "kernel/leap/leap.hpp"

#include <algorithm>
#include <cmath>

#include "core/double_double.hpp"
#include "kernel/leap/leaps.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

void look_up_delays(const Draws& draws, Stream& stream, std::size_t count) {
  const model::DelayTable& table = *draws.tables[0];
  for (std::size_t i = 0; i < count; ++i) {
    const auto delay = static_cast<std::uint64_t>(table.at(stream.uniform[i]));
    stream.entry[i] |= std::min(delay, Stream::kFar) << 32;
  }
}

void Powers::fill(double mean) {
  const DoubleDouble rho_log = mean == 0 ? DoubleDouble(0) : -log1p(DoubleDouble(1) / mean);  // not asked for when every delay is 0
  const auto to_the = [&](std::int64_t exponent) {
    return exponent == 0 ? 1.0 : mean == 0 ? 0.0 : static_cast<double>(exp(rho_log * DoubleDouble::of(exponent)));
  };
  // (1 − ρ^i)/(1 − ρ) with 1/(1 − ρ) = 1 + μ.
  const auto sum = [&](std::int64_t count) {
    if (count == 0 || mean == 0) return count == 0 ? 0.0 : 1.0;
    return static_cast<double>(-expm1(rho_log * DoubleDouble::of(count)) * (DoubleDouble(1) + mean));
  };
  ratio = to_the(1);
  hazard = 1 / (1 + mean);
  few = std::floor(std::clamp(mean / 8, 1.0, 1e6));
  few_power = to_the(static_cast<std::int64_t>(few));
  for (std::size_t i = 0; i < 64; ++i) low[i] = to_the(static_cast<std::int64_t>(i)), low_sum[i] = sum(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < steps; ++i) {
    high[i] = to_the(static_cast<std::int64_t>(64 * i)), high_sum[i] = sum(static_cast<std::int64_t>(64 * i));
  }
}

void Cumulated::size(const Setup& setup, const model::Delays& delays, std::int64_t window) {
  laws = delays.laws.size();
  length = window;
  setup.tables.want_cdfs(delays, window);
}

void Cumulated::declare(Rows& rows, std::size_t arms) {
  if (laws == 0) return;
  rows(of_arm, arms);
  rows(sums, laws * static_cast<std::size_t>(length + 1));
  rows(matured, arms);
}

void Cumulated::fill(const Setup& setup, const model::Delays& delays, std::size_t arms) {
  const model::Window& window = setup.experiment.window;
  const auto stride = static_cast<std::size_t>(length + 1);
  for (std::size_t law = 0; law < laws; ++law) {
    const double* const cdf = setup.tables.of(delays.laws[law]).cdf(length);
    double* const to = sums + law * stride;
    DoubleDouble sum;
    for (std::size_t age = 0; age < stride; ++age) to[age] = static_cast<double>(sum), sum += cdf[age];
  }
  silent = length;  // a sum of no terms is 0, so each search ends
  for (std::size_t law = 0; law < laws; ++law) {
    while (sums[law * stride + static_cast<std::size_t>(silent)] != 0) --silent;
  }
  for (std::size_t arm = 0; arm < arms; ++arm) {
    of_arm[arm] = sums + (delays.common() ? 0 : arm * stride);
    matured[arm] = window ? setup.tables.of(delays[arm]).cdf(length)[length] : 1;  // without a window every delay is within `length`
  }
}

namespace {

bool is_exposed(const model::Experiment& e) { return e.rule.statistic == model::Statistic::exposure; }

}  // namespace

void Leap::size(const Setup& setup, Books& books, const World& world_of, const Exposure& exposure, const Policy& policy) {
  const model::Experiment& e = setup.experiment;
  is_on = e.leap_after.has_value() && can_leap(e, setup.exposure);
  if (!is_on) return;
  after = std::max(*e.leap_after, policy.index.start_rounds);
  is_on = after < e.horizon;
  if (!is_on) return;
  reach = std::min(world_of.reach, e.horizon);
  decays = exposure.form == Exposure::Form::deficit;
  sums_runs = is_exposed(e) && !decays;
  const bool remembers = e.window || sums_runs || !exposure.is_worlds;
  if (e.window) {
    runs.size(books.window);
  } else if (remembers) {
    const std::int64_t longest_delay = std::max(model::longest(e.problem.delay), model::longest(e.believed()));
    runs.size(std::clamp<std::int64_t>(longest_delay, 1, e.horizon));
    books.ring.length = std::min(runs.window, after);  // of the rounds before, none is forgotten that the runs remember
    if (exposure.form == Exposure::Form::buffer) setup.tables.want_cdfs(e.believed(), books.ring.length);
  }
  disclosures.size(books.arms, reach, kLongestStretch);
  longest = static_cast<std::int64_t>(disclosures.length) - reach - 1;
  powers.steps = static_cast<std::size_t>(std::max(longest, runs.window) / 64 + 1);
  if (sums_runs) believed.size(setup, e.believed(), runs.window);
  if (!exposure.is_worlds) world.size(setup, e.problem.delay, runs.window);
}

void Leap::declare(Rows& rows, const Books& books) {
  if (!is_on) return;
  disclosures.declare(rows, kTogether);
  runs.declare(rows, kTogether);
  if (decays) powers.declare(rows);
  believed.declare(rows, books.arms);
  world.declare(rows, books.arms);
  rows(growth, books.arms);
  rows(top_mark, books.arms);
  rows(ever, books.arms);
  rows(own_base, books.cells());
  rows(world_exposure, books.arms);
  rows(changed, books.arms * kTogether * 2 + 16);
  streams = rows.room<Stream>(kTogether);
}

void Leap::fill(const Setup& setup, const Books& books, const World& world_of, const Exposure& exposure, const Policy& policy) {
  if (!is_on) return;
  const model::Experiment& e = setup.experiment;
  const Index& index = policy.index;
  if (decays) powers.fill(exposure.deficit.law->mean);
  if (believed.laws != 0) believed.fill(setup, e.believed(), books.arms);
  if (world.laws != 0) world.fill(setup, e.problem.delay, books.arms);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    const bool counts_pulls = !is_exposed(e) && e.rule.statistic != model::Statistic::matured;
    growth[arm] = counts_pulls || !e.window ? 1 : model::cdf(e.believed()[arm], *e.window);
    const Uint128 limit = world_of.draws.limit[arm];
    ever[arm] = limit != 0;
    top_mark[arm] = limit != 0 ? static_cast<std::uint64_t>(limit - 1) : 0;
  }
  const auto within = static_cast<std::uint64_t>(reach);
  our_reach = world_of.feedback == Feedback::at_once ? Stream::kFar : within;
  by_delay = world_of.feedback == Feedback::delayed ? ~std::uint64_t{0} : 0;
  at = world_of.feedback == Feedback::at_window_end ? static_cast<std::uint64_t>(books.window) : 0;
  best_mark = static_cast<std::uint64_t>(world_of.draws.highest_limit - 1);
  base = index.has_radius() ? books.conversions : index.has_tangents() || index.has_planes() ? index.base : own_base;
  gain = index.gain;
  margin = 4 * kTie + (index.form == model::IndexForm::klucb ? 2 * kPolynomialError : 1e-10);
}

void begin_leap(State& s) {
  s.policy.ties.keys_are_drawn = false;
  if (!s.leap.decays) return;
  Deficit& deficit = s.exposure.deficit;
  for (std::size_t cell = 0; cell < s.books.cells(); ++cell) deficit.scaled[cell] *= deficit.power[deficit.phase];
  deficit.phase = 0;
}

void begin_group(State& s, std::size_t group) {
  Leap& leap = s.leap;
  const Books& books = s.books;
  Disclosures& disclosures = leap.disclosures;
  leap.group = group;
  leap.width = std::min(Leap::kTogether, books.lanes - group);
  leap.changes = 0;
  disclosures.clear(Leap::kTogether);
  for (std::size_t replica = 0; replica < Leap::kTogether; ++replica) {
    leap.pending_of[replica] = disclosures.of(replica);
    leap.clock[replica] = leap.after;
    leap.is_idle[replica] = group + replica >= books.replicas;
    leap.touched_at[replica] = 0;
    leap.runs_of[replica] = {};
    leap.streams[replica].begin(leap.after + 1, books.horizon, s.world.draws.candidates.halvings);
  }
  const std::size_t count = std::min(Leap::kTogether, books.replicas - group);
  if (leap.runs.window != 0) {
    books.ring.with_type([&](auto id) {
      using ArmId = decltype(id);
      const auto arms_of = [&](std::int64_t round) { return books.ring.slot<ArmId>(round, books.lanes) + group; };
      // A run is pushed when its last round is known: in most rounds no replica changes its arm.
      for (std::int64_t round = std::max<std::int64_t>(1, leap.after - leap.runs.window + 1); round <= leap.after; ++round) {
        const ArmId* const arms = arms_of(round);
        if (round < leap.after && std::equal(arms, arms + count, arms_of(round + 1))) continue;
        for (std::size_t i = 0; i < count; ++i) leap.runs_of[i].push(leap.runs, i, static_cast<std::size_t>(arms[i]), round);
      }
    });
  }
  const Calendar<std::uint32_t>& calendar = s.world.calendar;
  for (std::uint32_t ahead = 0; ahead < calendar.buckets; ++ahead) {
    const auto* chunk = &calendar.chunks[(calendar.now + ahead) % calendar.buckets];
    const auto due = static_cast<std::uint64_t>(leap.after + 1 + ahead);
    for (std::uint32_t left = chunk->count, i = 0; left != 0; --left, ++i) {
      if (i == Calendar<std::uint32_t>::kEntries) chunk = &calendar.chunks[chunk->next], i = 0;
      const std::size_t replica = chunk->entry[i].lane() - group;
      if (replica >= count) continue;
      DisclosureRow<Baseline>(leap.pending_of[replica], chunk->entry[i].arm()).add(due);
      leap.pending_of[replica].added(chunk->entry[i].arm(), 1);
    }
  }
}

void sum_runs(const Leap& leap, const Books& books, const Cumulated& tau, std::size_t replica, double* exposure, std::size_t stride) {
  const std::int64_t now = leap.clock[replica];
  const std::size_t lane = leap.group + replica;
  for (std::size_t arm = 0; arm < books.arms; ++arm) exposure[arm * stride] = 0;
  // Runs that began later than `silent` rounds ago would add 0 − 0: left out, the same sum to the last bit.
  leap.runs_of[replica].for_each(leap.runs, replica, std::max<std::int64_t>(0, now - leap.runs.window), now - tau.silent,
                                 [&](std::size_t arm, std::int64_t first, std::int64_t last) {
                                   exposure[arm * stride] += tau.of_arm[arm][now - first + 1] - tau.of_arm[arm][now - last];
                                 });
  for (std::size_t arm = 0; arm < books.arms; ++arm) exposure[arm * stride] += tau.matured[arm] * books.matured[arm * books.lanes + lane];
}

void sum_runs(State& s, std::size_t replica) {
  sum_runs(s.leap, s.books, s.leap.believed, replica, s.exposure.row + s.leap.group + replica, s.books.lanes);
}

std::size_t decide_exactly(State& s, std::size_t replica) {
  Index& index = s.policy.index;
  const std::int64_t round = s.leap.clock[replica] + 1;
  index.exploration.beta = exploration(index.exploration.epsilon, round);
  index.exploration.root_beta = std::sqrt(index.exploration.beta);
  index.span.margin = s.leap.doubt[replica];
  ++s.policy.ties.resolved;
  return index.resolve(s.books, s.exposure, s.policy.ties, round, s.leap.group + replica);
}

void record(State& s, const Recording& recording, std::size_t replica) {
  Leap& leap = s.leap;
  const Books& books = s.books;
  const Regret& weights = s.regret;
  const std::size_t lane = leap.group + replica, row = leap.record[replica];
  if (leap.sums_runs) sum_runs(s, replica);
  if (weights.is_summed) sum_runs(leap, books, leap.world, replica, leap.world_exposure, 1);
  const Denominator visible = s.exposure.denominator(books);
  double regret = weights.start[row], pseudo = 0;
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    const std::size_t cell = arm * books.lanes + lane;
    if (weights.weight[arm] != 0) regret += weights.weight[arm] * (weights.is_summed ? leap.world_exposure[arm] : visible(cell));
    if (weights.gap[arm] != 0) pseudo += weights.gap[arm] * books.pulls[cell];
  }
  model::Paths& paths = *recording.paths;
  const std::size_t at = row * paths.lanes + recording.offset + lane;
  paths.regret[at] = regret;
  paths.pseudo_regret[at] = pseudo;
  paths.realised_regret[at] = books.missed[lane];
}

}  // namespace dbandit::kernel
