#pragma once

#include "kernel/agnostic.hpp"
#include "kernel/choose.hpp"
#include "kernel/ledger.hpp"
#include "kernel/world.hpp"

/// A block of replicas through its rounds, once per instruction set: choose -> convert -> account -> disclose (§2's clock; the state a
/// decision sees is that after the previous round).
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

template <class Arch>
inline void choose(State& s, std::int64_t round) {
  const auto arms = static_cast<std::int64_t>(s.arms);
  const bool round_robin = s.statistic == model::Statistic::matured && round <= s.window + arms;
  if (round <= arms || round_robin) {
    const std::uint16_t* order = s.order + static_cast<std::size_t>((round - 1) % arms) * s.lanes;
    for (std::size_t lane = 0; lane < s.lanes; ++lane) s.action[lane] = order[lane];
    return;
  }
  if (s.statistic == model::Statistic::none) {
    for (std::size_t lane = 0; lane < s.lanes; ++lane) s.undecided[lane] = static_cast<std::uint32_t>(lane);
    s.undecided_count = s.lanes;
  } else {
    if (s.index == model::IndexForm::klucb && s.solver == model::Solver::direct && round >= s.span_end) {
      begin_span(s, round);
      tangents<Arch>(s, s.conversions, s.arms * s.lanes, s.base, s.gain);
    }
    const double beta = exploration(s, round), root_beta = __builtin_sqrt(beta);
    switch (s.denominator) {
      case Denominator::recursion:
        choose_by_index<Arch, Denominator::recursion>(s, beta, root_beta);
        break;
      case Denominator::matured:
        choose_by_index<Arch, Denominator::matured>(s, beta, root_beta);
        break;
      case Denominator::pulls:
        choose_by_index<Arch, Denominator::pulls>(s, beta, root_beta);
        break;
      case Denominator::row:
        choose_by_index<Arch, Denominator::row>(s, beta, root_beta);
        break;
    }
    s.decisions += s.lanes;
    s.resolved += s.undecided_count;
  }
  if (s.undecided_count == 0) return;
  const bool many = s.undecided_count * 4 > s.lanes && !s.lowest_ties;
  if (many) draw_tie_keys<Arch>(s, round);
  resolve(s, round, many);
}

template <class Arch>
inline void keep_books(State& s, std::int64_t round) {
  if (s.exposure_by == model::Exposure::recursion) {
    if (s.arm_ids == ArmIds::byte) {
      account<Arch, true, std::uint8_t>(s, round);
    } else {
      account<Arch, true, std::uint16_t>(s, round);
    }
    age<Arch>(s);
  } else {
    account<Arch, false, double>(s, round);
    if (s.statistic == model::Statistic::exposure) sum_buffer<Arch>(s, round);
  }
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
inline void credit(State& s, Calendar<Entry>& calendar, Observe observe) {
  std::size_t changed = 0;
  const bool tangent = s.span_end > 0;
  disclose<Arch>(calendar, [&](Entry entry) {
    const std::size_t lane = entry & 0xFFFF, arm = entry >> 16 & 0xFFFF;
    if (arm == s.arms) {
      s.missed[lane] += 1;
      return;
    }
    const std::size_t cell = arm * s.lanes + lane;
    s.conversions[cell] += 1;
    observe(lane, entry);
    if (!tangent) return;
    s.changed[changed++] = static_cast<std::uint32_t>(cell);
    if (changed == State::kChanged) {
      refresh_changed<Arch>(s, changed);
      changed = 0;
    }
  });
  refresh_changed<Arch>(s, changed);
}

template <class Arch>
inline void advance(State& s, std::int64_t round) {
  choose<Arch>(s, round);
  switch (s.statistic) {
    case model::Statistic::agnostic_mean:
      convert<Arch>(s, s.calendar_of_delays, round);
      keep_books<Arch>(s, round);
      credit<Arch>(s, s.calendar_of_delays,
                   [&](std::size_t lane, std::uint64_t entry) { observe_mean<Arch>(s, lane, static_cast<double>(entry >> 32)); });
      expose_by_mean<Arch>(s);
      break;
    case model::Statistic::agnostic_window:
      convert<Arch>(s, s.calendar_of_delays, round);
      keep_books<Arch>(s, round);
      age_matches<Arch>(s, s.window + 1);
      credit<Arch>(s, s.calendar_of_delays, [&](std::size_t lane, std::uint64_t entry) {
        observe_delay<Arch>(s, s.window + 1, lane, static_cast<std::uint32_t>(entry >> 32));
      });
      expose_by_matches<Arch>(s);
      break;
    default:
      convert<Arch>(s, s.calendar, round);
      keep_books<Arch>(s, round);
      credit<Arch>(s, s.calendar, [](std::size_t, std::uint32_t) {});
  }
}

template <class Arch>
void rounds(State& s, std::int64_t first, std::int64_t last) {
  const FlushDenormals<Arch> flush;
  for (std::int64_t round = first; round <= last; ++round) advance<Arch>(s, round);
}

}  // namespace dbandit::kernel
