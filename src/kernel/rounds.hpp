#pragma once

#include "dbandit/kernel/target.hpp"
#include "kernel/agnostic.hpp"
#include "kernel/choose.hpp"
#include "kernel/exposure.hpp"
#include "kernel/ledger.hpp"
#include "kernel/thompson.hpp"
#include "kernel/world.hpp"

/// A block of replicas through its rounds, once per instruction set: choose -> convert -> account -> disclose (§2's clock; the state a
/// decision sees is that after the previous round). The stages are not inlined into each other, so that a profiler can tell them apart;
/// a call per block and round costs nothing.
namespace dbandit::kernel {

/// Denormal numbers are flushed while the rounds run: the deficit of an arm that is never pulled decays through them.
template <class Arch>
struct FlushDenormals {
  unsigned saved = _mm_getcsr();
  FlushDenormals() { _mm_setcsr(saved | 0x8040); }
  ~FlushDenormals() { _mm_setcsr(saved); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

/// Adds the time since the last mark to a stage; nothing at all when the profile is not asked for.
template <class Arch, bool profiled>
struct StageClock {
  explicit StageClock(State& state) : s(state), last(profiled ? __builtin_ia32_rdtsc() : 0) {}
  void mark(Stage stage) {
    if constexpr (profiled) {
      const std::uint64_t now = __builtin_ia32_rdtsc();
      s.ticks[static_cast<int>(stage)] += now - last;
      last = now;
    }
  }
  State& s;
  std::uint64_t last;
};

/// Arms that need no index: the start, and Discarding's round-robin until every arm has a matured pull (§6).
template <class Arch>
inline bool play_in_order(State& s, std::int64_t round) {
  const auto arms = static_cast<std::int64_t>(s.arms);
  if (round > (s.statistic == model::Statistic::matured ? s.window + arms : arms)) return false;
  const std::uint16_t* order = s.order + static_cast<std::size_t>((round - 1) % arms) * s.lanes;
  for (std::size_t lane = 0; lane < s.lanes; ++lane) s.action[lane] = order[lane];
  return true;
}

/// The arm of largest index for every lane; lists the lanes that the vectors cannot decide.
template <class Arch>
[[gnu::noinline]] void choose(State& s, std::int64_t round) {
  s.undecided_count = 0;
  if (s.takes_turns) return take_turns(s, round);
  if (s.queues) {
    fill_queues(s, round);
    if (s.samples) {
      sample_posteriors<Arch>(s, round);
      s.denominator == Denominator::row ? choose_by_samples<Arch, Denominator::row>(s) : choose_by_samples<Arch, Denominator::recursion>(s);
      resolve(s, round, false);
      s.undecided_count = 0;
    }
    return ask_base(s);
  }
  if (play_in_order<Arch>(s, round)) return;
  if (s.samples) sample_posteriors<Arch>(s, round);
  if (s.statistic == model::Statistic::none) {
    for (std::size_t lane = 0; lane < s.lanes; ++lane) s.undecided[lane] = static_cast<std::uint32_t>(lane);
    s.undecided_count = s.lanes;
    return;
  }
  if (s.index == model::IndexForm::klucb && s.solver == model::Solver::direct && round >= s.span_end) {
    begin_span(s, round);
    tangents<Arch>(s, s.conversions, s.arms * s.lanes, s.base, s.gain);
  }
  look_up_exploration(s, round);
  switch (s.denominator) {
    case Denominator::recursion:
      choose_by_index<Arch, Denominator::recursion>(s);
      break;
    case Denominator::matured:
      choose_by_index<Arch, Denominator::matured>(s);
      break;
    case Denominator::pulls:
      choose_by_index<Arch, Denominator::pulls>(s);
      break;
    case Denominator::row:
      choose_by_index<Arch, Denominator::row>(s);
      break;
  }
  s.decisions += s.lanes;
  s.resolved += s.undecided_count;
}

/// Decides what is left by exact indices, and breaks ties.
template <class Arch>
[[gnu::noinline]] void settle(State& s, std::int64_t round) {
  if (s.undecided_count == 0) return;
  const bool many = s.undecided_count * 4 > s.lanes && !s.lowest_ties;
  if (many) {
    draw_tie_keys<Arch>(s, round);
    settle_by_keys<Arch>(s);
    if (s.undecided_count == 0) return;
  }
  resolve(s, round, many);
}

template <class Arch>
[[gnu::noinline]] void keep_books(State& s, std::int64_t round) {
  if (s.tracking == Tracking::deficit) {
    if (s.arm_ids == ArmIds::byte) {
      account<Arch, true, std::uint8_t>(s, round);
    } else {
      account<Arch, true, std::uint16_t>(s, round);
    }
    age<Arch>(s);
  } else if (s.tracking == Tracking::buffer) {
    account<Arch, false, double>(s, round);
    if (s.statistic == model::Statistic::exposure || s.samples) sum_buffer<Arch>(s, round);
  } else if (s.arm_ids == ArmIds::byte) {
    track<Arch, std::uint8_t>(s, round);
  } else {
    track<Arch, std::uint16_t>(s, round);
  }
  if (s.window_cdf_by_arm != nullptr) expose_matured<Arch>(s);
}

/// New tangents for the KL numerators of the first `count` changed cells, a vector at a time.
template <class Arch>
inline void refresh_changed(State& s, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) s.touched[i] = s.conversions[s.changed[i]];
  double* const base = s.touched + State::kChanged;
  double* const gain = base + State::kChanged;
  tangents<Arch>(s, s.touched, count, base, gain);
  for (std::size_t i = 0; i < count; ++i) {
    s.base[s.changed[i]] = base[i];
    s.gain[s.changed[i]] = gain[i];
  }
}

/// Credits the conversions disclosed this round.
template <class Arch, class Entry, class Observe>
[[gnu::noinline]] void credit(State& s, Calendar<Entry>& calendar, Observe observe) {
  std::size_t changed = 0;
  const std::size_t lanes = s.lanes, arms = s.arms;
  double* const __restrict conversions = s.conversions;
  double* const __restrict missed = s.missed;
  std::uint32_t* const __restrict list = s.changed;
  const bool tangent = s.span_end > 0;
  disclose<Arch>(calendar, [&](Entry entry) {
    const std::size_t lane = entry & 0xFFFF, arm = entry >> 16 & 0xFFFF;
    if (arm >= arms) {  // K: the best arm's; K + 1: ours where it is disclosed in another round
      missed[lane] += arm == arms ? 1 : -1;
      return;
    }
    const std::size_t cell = arm * lanes + lane;
    conversions[cell] += 1;
    observe(lane, entry);
    if (!tangent) return;
    list[changed++] = static_cast<std::uint32_t>(cell);
    if (changed == State::kChanged) {
      refresh_changed<Arch>(s, changed);
      changed = 0;
    }
  });
  refresh_changed<Arch>(s, changed);
}

template <class Arch, bool profiled, class Entry, class Observe, class Expose>
inline void advance(State& s, Calendar<Entry>& calendar, std::int64_t round, Expose expose, Observe observe) {
  StageClock<Arch, profiled> clock(s);
  choose<Arch>(s, round);
  clock.mark(Stage::index);
  settle<Arch>(s, round);
  clock.mark(Stage::ties);
  if (s.batch_first == 0 || round >= s.batch_first + State::kBatch) {
    const std::size_t candidates = draw_batch<Arch>(s, round);
    clock.mark(Stage::draw);
    draw_events<Arch>(s, candidates);
    clock.mark(Stage::delay);
  }
  if (s.delays_by_arm) {
    convert_by_arm<Arch>(s, calendar, round);
  } else {
    convert<Arch>(s, calendar, round);
  }
  clock.mark(Stage::calendar);
  keep_books<Arch>(s, round);
  clock.mark(Stage::books);
  expose(false);
  credit<Arch>(s, calendar, observe);
  expose(true);
  clock.mark(Stage::disclose);
}

template <class Arch, bool profiled, class Count>
inline void rounds_by_matches(State& s, std::int64_t first, std::int64_t last) {
  const Matches<Arch, Count> matches(s);
  for (std::int64_t round = first; round <= last; ++round) {
    advance<Arch, profiled>(
        s, s.calendar_of_delays, round, [&](bool after) { after ? expose_by_matches<Arch>(s) : matches.age(); },
        [&](std::size_t lane, std::uint64_t entry) { matches.observe(lane, static_cast<std::uint32_t>(entry >> 32)); });
  }
}

/// A block through rounds first..last. `expose` runs before and after the disclosures of a round, `observe` at each of them: hooks of
/// the policies that learn the delays.
template <class Arch, bool profiled>
void rounds(State& s, std::int64_t first, std::int64_t last) {
  const FlushDenormals<Arch> flush;
  s.instruction_set = Arch::name();
  switch (s.statistic) {
    case model::Statistic::agnostic_mean:
      for (std::int64_t round = first; round <= last; ++round) {
        advance<Arch, profiled>(
            s, s.calendar_of_delays, round, [&](bool after) { after ? expose_by_mean<Arch>(s) : void(); },
            [&](std::size_t lane, std::uint64_t entry) { observe_mean<Arch>(s, lane, static_cast<double>(entry >> 32)); });
      }
      break;
    case model::Statistic::agnostic_likelihood:
      for (std::int64_t round = first; round <= last; ++round) {
        advance<Arch, profiled>(
            s, s.calendar_of_delays, round, [&](bool after) { after ? expose_by_mean<Arch>(s) : void(); },
            [&](std::size_t lane, std::uint64_t entry) { observe_likelihood<Arch>(s, lane, static_cast<double>(entry >> 32), round); });
      }
      break;
    case model::Statistic::agnostic_window:
      if (s.narrow_counts) {
        rounds_by_matches<Arch, profiled, std::uint16_t>(s, first, last);
      } else {
        rounds_by_matches<Arch, profiled, std::uint32_t>(s, first, last);
      }
      break;
    default:
      for (std::int64_t round = first; round <= last; ++round) {
        advance<Arch, profiled>(
            s, s.calendar, round, [](bool) {}, [](std::size_t, std::uint32_t) {});
      }
  }
}

/// h(S, β) for an array of S.
template <class Arch>
void poisson_bounds(model::Solver solver, const double* conversions, double beta, double* bounds, std::size_t count) {
  using D = Doubles<Arch>;
  const auto solve = [&](auto excess) {
    for (std::size_t i = 0; i < count; i += D::size) {
      poisson_bound<Arch>(D::load_aligned(conversions + i), beta, excess).store_aligned(bounds + i);
    }
  };
  switch (solver) {
    case model::Solver::bisection:
      return solve(excess_bisection<Arch>);
    case model::Solver::newton:
      return solve(excess_newton<Arch, kFullSteps>);
    case model::Solver::direct:
      return solve(excess_polynomial<Arch>);
  }
}

/// Gamma(shapes[i], 1) at replicas first + i, the first attempt's; `certain` says which of them are accepted by it.
template <class Arch>
void draw_gamma(std::uint64_t seed, std::uint64_t first, std::uint64_t round, std::uint64_t arm, const double* shapes, double* drawn,
                bool* certain, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) {
    std::uint32_t list[8];
    const std::size_t listed = draw_gammas<Arch>(seed, first + i, round, arm, shapes + i, 0, drawn + i, 8, list, i, 0);
    for (std::size_t j = 0; j < 8; ++j) certain[i + j] = true;
    for (std::size_t j = 0; j < listed; ++j) certain[list[j]] = false;
  }
}

/// The words at counters {first + i, counter1}.
template <class Arch>
void draw_words(std::uint64_t seed, rng::Stream stream, std::uint64_t arm, std::uint64_t first, std::uint64_t counter1, std::uint64_t* low,
                std::uint64_t* high, std::size_t count) {
  const std::uint64_t key = static_cast<std::uint64_t>(stream) | arm << 8;
  for (std::size_t i = 0; i < count; i += Words<Arch>::size) {
    Words<Arch> word0[1] = {counting_from<Arch>(first + i)}, word1[1] = {Words<Arch>(counter1)};
    threefry<Arch>(seed, key, word0, word1);
    word0[0].store_aligned(low + i);
    word1[0].store_aligned(high + i);
  }
}

}  // namespace dbandit::kernel
