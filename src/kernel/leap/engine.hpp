#pragma once

#include "kernel/stage_clock.hpp"
#include "kernel/state.hpp"

/// Looks, and the stretches between them, once per instruction set.
namespace dbandit::kernel {

/// β of every replica's next round.
template <class Arch>
[[gnu::always_inline]] inline void look_at_clocks(Leap& leap, double epsilon) {
  using D = Doubles<Arch>;
  alignas(64) double next[Leap::kTogether];
  for (std::size_t i = 0; i < Leap::kTogether; ++i) next[i] = static_cast<double>(leap.clock[i] + 1);
  for (std::size_t i = 0; i < leap.width; i += D::size) {
    (D(1 + epsilon) * xsimd::log(D::load_aligned(next + i))).store_aligned(leap.beta + i);
  }
}

/// New tangents of the changed cells, each at the β of its replica.
template <class Arch>
[[gnu::always_inline]] inline void renew_tangents(Leap& leap, const Books& books) {
  using D = Doubles<Arch>;
  alignas(64) double seen[D::size], beta[D::size], base[D::size], gain[D::size];
  for (std::size_t at = 0; at < leap.changes; at += D::size) {
    const std::size_t count = leap.changes - at < D::size ? leap.changes - at : D::size;
    for (std::size_t i = 0; i < D::size; ++i) {
      const std::size_t cell = leap.changed[at + (i < count ? i : 0)];
      seen[i] = books.conversions[cell], beta[i] = leap.beta[cell % books.lanes - leap.group];
    }
    D b, g;
    tangent<Arch>(D::load_aligned(seen), D::load_aligned(beta), b, g);
    b.store_aligned(base), g.store_aligned(gain);
    for (std::size_t i = 0; i < count; ++i) leap.base[leap.changed[at + i]] = base[i], leap.gain[leap.changed[at + i]] = gain[i];
  }
  leap.changes = 0;
}

/// The Bernoulli bounds of a replica's arms and their slopes, M q and q (1 − q)/(q − p): concave in β like the others.
template <class Arch>
[[gnu::noinline]] void renew_bernoulli(Leap& leap, const Index& index, const Books& books, std::size_t replica) {
  using D = Doubles<Arch>;
  const double beta = leap.beta[replica];
  alignas(64) double seen[D::size], pulls[D::size], base[D::size], gain[D::size];
  for (std::size_t first = 0; first < books.arms; first += D::size) {
    const std::size_t count = books.arms - first < D::size ? books.arms - first : D::size;
    const auto cell = [&](std::size_t i) { return (first + (i < count ? i : 0)) * books.lanes + leap.group + replica; };
    for (std::size_t i = 0; i < D::size; ++i) seen[i] = books.conversions[cell(i)], pulls[i] = books.matured[cell(i)];
    const D m = D::load_aligned(pulls), z = D::load_aligned(seen), bound = bernoulli_bound<Arch>(z, m, beta);
    const D over = bound - z, slope = xsimd::select(over > D(0.0), bound * (m - bound) / (m * over), D(0.0));
    slope.store_aligned(gain), (bound - slope * D(beta)).store_aligned(base);
    for (std::size_t i = 0; i < count; ++i) leap.base[cell(i)] = base[i], leap.gain[cell(i)] = gain[i], index.rise[cell(i)] = 0;
  }
}

/// For how many rounds the arm that leads now must stay ahead.
///
/// While only a is pulled and nothing of another arm j is disclosed, in s rounds: N_j and S_j stay and Ñ_j does not fall, and numerators
/// are concave in β, so the index of j is at most U_j + s U_j' with the slope in rounds U_j' = num_j'(β) (1+ε)/(t Ñ_j). The numerator of a
/// does not fall and Ñ_a grows by at most τ_m a round, whatever the law, because at most one pull has each age: the index of a is at
/// least U_a Ñ_a / (Ñ_a + τ_m s). With the largest U and U' of the others in place of theirs, a leads until the root s of
/// U_a Ñ_a = (U + U' s)(Ñ_a + τ_m s). Discarding: M grows by at most one a round, and more matured pulls only lower the index of j.
template <class Arch, bool clamped, class Under>
[[gnu::noinline]] void look(Leap& leap, const Books& books, const Index& index, Under below) {
  using D = Doubles<Arch>;
  constexpr bool decays = Under::kind == Denominator::Kind::recursion;
  const double few = leap.powers.few, few_power = leap.powers.few_power * leap.powers.hazard;
  const double few_leave = few * below.over * leap.powers.hazard;
  const double* const base = leap.base;
  const double* const gain = leap.gain;
  const bool has_radius = index.has_radius(), touches = !has_radius && index.form == model::IndexForm::klucb;
  const double allowance = index.form == model::IndexForm::patient ? 1.4142135623730951 : 0;
  const std::size_t lanes = books.lanes, arms = books.arms;
  for (std::size_t i = 0; i < leap.width; i += D::size) {
    const std::size_t lane = leap.group + i;
    const D beta = D::load_aligned(leap.beta + i);
    alignas(64) double round[D::size];
    for (std::size_t j = 0; j < D::size; ++j) round[j] = static_cast<double>(leap.clock[i + j] + 1);
    const D rate = D(1 + index.exploration.epsilon) / D::load_aligned(round);
    D x = beta, x_rate = rate, margin(leap.margin);
    if (has_radius) {
      const D root = xsimd::sqrt(beta);
      x = root + D(allowance), x_rate = rate / (root + root);
    } else if (touches) {
      // A tangent that touches at β' is too large by at most h (β − β')²/(18 β'²) (Span::begin).
      const D touched = D::load_aligned(leap.touched_at + i), off = (beta - touched) / touched;
      margin = margin + off * off * D(1.0 / 16);
    }
    D best(-1.0), second(0.0), steepest(0.0), best_below(1.0), best_growth(1.0), best_hidden(0.0), choice(0.0);
    D third(0.0), best_slope(0.0), second_slope(0.0);
    Mask<Arch> unknown(false);
    for (std::size_t arm = 0, cell = lane; arm < arms; ++arm, cell += lanes) {
      const D under = below(cell), slope = D::load_aligned(gain + cell);
      const D inverse = D(1.0) / under;
      const D free = (D::load_aligned(base + cell) + slope * x) * inverse;
      const D value = clamped ? xsimd::min(free, D(1.0)) : free;
      unknown = unknown | (under <= D(0.0));
      const auto better = value > best;
      if constexpr (decays) {
        const auto next = (value > second) & !better;
        third = xsimd::max(third, xsimd::select(better | next, second, value));
        // While it is not pulled it still ripens, in each of so many rounds by (1 − ρ) W with W ≥ ρ^few W(t) − few ρ^{m+1}; and
        // 1/(1 + x) ≤ 1 − x (1 − X) for x ≤ X.
        const D ripening = xsimd::max(D(few_power) * D::load_aligned(below.row + cell) - D(few_leave), D(0.0)) * inverse;
        const D falls = free * ripening * (D(1.0) - ripening * D(few));
        const D own_slope = slope * inverse * x_rate - (clamped ? xsimd::select(free < D(1.0), falls, D(0.0)) : falls);
        second_slope = xsimd::select(better, best_slope, xsimd::select(next, own_slope, second_slope));
        best_slope = xsimd::select(better, own_slope, best_slope);
      }
      second = xsimd::max(second, xsimd::select(better, best, value));
      steepest = xsimd::max(steepest, slope * inverse);
      best = xsimd::select(better, value, best);
      best_below = xsimd::select(better, under, best_below);
      best_growth = xsimd::select(better, D(leap.growth[arm]), best_growth);
      if constexpr (decays) best_hidden = xsimd::select(better, D::load_aligned(below.row + cell), best_hidden);
      choice = xsimd::select(better, D(static_cast<double>(arm)), choice);
    }
    const D most = second * (D(1.0) + margin), rise = steepest * x_rate;
    const D lead = (best * (D(1.0) - margin) - most) * best_below;
    if constexpr (decays) {
      // s + W is hidden after s rounds but for ρ^s W + ρ + … + ρ^s, so Ñ_a grows by at most (s W + s (s + 1)/2)/(1 + μ): little after a
      // pause. Without the rise of the others, that lets a lead until the root of the first line; until then it is linear in s below.
      const D hazard(leap.powers.hazard), at_first = (best_hidden + D(0.5)) * hazard, gap = lead / xsimd::max(most, D(1e-100));
      const D at_most = (gap + gap) / (at_first + xsimd::sqrt(at_first * at_first + (hazard + hazard) * gap));
      best_growth = xsimd::min(best_growth, at_first + D(0.5) * hazard * at_most);
    }
    const D half = most * best_growth + rise * best_below;
    const D root = xsimd::sqrt(half * half + D(4.0) * rise * best_growth * lead);
    D ahead = xsimd::floor((lead + lead) / (half + root)) + D(1.0);
    if constexpr (decays) {
      // For a few rounds it is known better: Ñ_a grows by at most g s + G s², and the runner-up has a slope of its own, the rest at most
      // the steepest. (U + U' s)(Ñ_a + g s + G s²) in powers of s; the cube of a falling index is left out, else it is at most `few`
      // squares.
      const D square(0.5 * leap.powers.hazard), first = (best_hidden + D(0.5)) * D(leap.powers.hazard), much(few);
      const auto until = [&](const D& index_of, const D& slope_of, const D& gap) {
        const D once = index_of * first + slope_of * best_below;
        const D twice = index_of * square + slope_of * first + xsimd::max(slope_of, D(0.0)) * square * much;
        const D under_root = once * once + D(4.0) * twice * gap;
        const D rounds = (gap + gap) / (once + xsimd::sqrt(xsimd::max(under_root, D(0.0))));
        return xsimd::select((under_root < D(0.0)) | ((once <= D(0.0)) & (twice <= D(0.0))), much, rounds);
      };
      const D rest = third * (D(1.0) + margin);
      const D soon = xsimd::min(until(most, second_slope, lead), until(rest, rise, (best * (D(1.0) - margin) - rest) * best_below));
      ahead = xsimd::max(ahead, xsimd::floor(xsimd::min(soon, much)) + D(1.0));
    }
    const D certain = xsimd::select((lead > D(0.0)) & !unknown, xsimd::min(ahead, D(static_cast<double>(leap.longest))), D(0.0));
    certain.store_aligned(leap.stretch + i);
    choice.store_aligned(leap.leader + i);
    margin.store_aligned(leap.doubt + i);
    (best * (D(1.0) - margin) * best_below).store_aligned(leap.above + i);
    best_below.store_aligned(leap.below + i);
    most.store_aligned(leap.others + i);
    rise.store_aligned(leap.rise + i);
  }
}

/// How many rounds more the leader of the last look stays ahead, `elapsed` rounds after it, now that `own` conversions of it have been
/// disclosed. Its numerator has grown by at least as many: ∂h/∂S = x ln x/(x − 1) ≥ 1, and a UCB's by exactly as many. 0: not known.
template <class Arch>
[[gnu::always_inline]] inline std::int64_t still_ahead(const Leap& leap, bool clamped, std::size_t replica, std::size_t arm,
                                                       std::uint32_t own, std::int64_t elapsed) {
  const auto since = static_cast<double>(elapsed);
  const double growth = leap.growth[arm], rise = leap.rise[replica];
  const double above = leap.above[replica] + own, below = leap.below[replica] + growth * since;
  const double others = leap.others[replica] + rise * since, lead = above - others * below;
  if (!(lead > 0) || (clamped && above > below)) return 0;
  // 2 q/(p + √(p² + 4 r q)) ≥ q p/(p² + r q): no root.
  const double half = others * growth + rise * below, rounds = lead * half / (half * half + rise * growth * lead);
  return rounds < static_cast<double>(leap.longest) ? static_cast<std::int64_t>(rounds) + 1 : leap.longest;
}

template <class Arch>
[[gnu::always_inline]] inline void look(State& s) {
  const Index& index = s.policy.index;
  index.denominator(s.books, s.exposure).template with_kind<Arch>([&](auto below) {
    index.clamped ? look<Arch, true>(s.leap, s.books, index, below) : look<Arch, false>(s.leap, s.books, index, below);
  });
}

/// Conversions of a stretch that are disclosed before it ends: ours, and those that the best arm would have had and ours had not.
struct DisclosedAtOnce {
  std::uint32_t own = 0, missed = 0;
};

/// Counts the conversions of a stretch of pulls of one arm, up to round `last`, and files those that are disclosed after it (convert). How
/// many of a vector are filed no branch could foresee: while the stretch is long, few.
template <class Arch, class Clock>
[[gnu::always_inline]] inline DisclosedAtOnce file_stretch(Leap& leap, const Draws& d, const Books& books, std::size_t replica,
                                                           std::size_t arm, std::uint64_t last, Clock& clock) {
  using W = Words<Arch>;
  Stream& stream = leap.streams[replica];
  const DisclosuresOfReplica& pending = leap.pending_of[replica];
  const DisclosureRow<Arch> our_row(pending, arm), missed_row(pending, books.arms);
  const W reach(static_cast<std::uint64_t>(leap.reach)), our_reach(leap.our_reach), by_delay(leap.by_delay), at(leap.at);
  const W top(leap.top_mark[arm]), best_top(leap.best_mark), end(last), low_half(0xFFFFFFFF);
  const bool ever = leap.ever[arm] != 0, is_best = ever && leap.top_mark[arm] == leap.best_mark;
  const unsigned any = ever ? ~0U : 0;
  alignas(64) std::uint64_t due[W::size];
  DisclosedAtOnce at_once;
  std::uint32_t filed = 0, missed = 0;
  const auto count = [](unsigned lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); };
  const auto file = [&](const DisclosureRow<Arch>& row, unsigned lanes, const W& when, std::uint32_t& now, std::uint32_t& later) {
    const unsigned soon = lanes & at_most<Arch>(when, end), left = lanes ^ soon;
    now += count(soon), later += count(left);
    if (left == 0) return;
    when.store_aligned(due);
    for (std::size_t i = 0; i < W::size; ++i) row.add(due[i], left >> i & 1);
  };
  for (;;) {
    const W entry = W::load_unaligned(stream.entry + stream.at), mark = W::load_unaligned(stream.mark + stream.at);
    const W round = entry & low_half, delay = entry >> 32;
    const unsigned in = at_most<Arch>(round, end), ours = in & any & at_most<Arch>(mark, top);
    file(our_row, ours & at_most<Arch>(delay, our_reach), round + (delay & by_delay) + at, at_once.own, filed);
    if (!is_best) {
      file(missed_row, in & ~ours & at_most<Arch>(mark, best_top) & at_most<Arch>(delay, reach), round + delay, at_once.missed, missed);
    }
    stream.at += count(in);
    if (in + 1 == 1U << W::size) continue;
    if (stream.at < stream.drawn) break;
    clock.mark(Stage::calendar);
    const bool are_more = refill<Arch>(d, books.first + leap.group + replica, stream);
    clock.mark(Stage::draw);
    if (!are_more) break;
  }
  pending.added(arm, filed);
  pending.added(books.arms, missed);
  return at_once;
}

/// The same where the delay depends on the arm (convert_by_arm).
template <class Arch>
[[gnu::noinline]] void file_stretch_by_arm(Leap& leap, const World& world, const Books& books, std::size_t replica, std::size_t arm,
                                           std::uint64_t last) {
  const Draws& d = world.draws;
  Stream& stream = leap.streams[replica];
  const std::int64_t reach = leap.reach;
  const auto file = [&](std::size_t row, std::uint64_t due) {
    DisclosureRow<Arch>(leap.pending_of[replica], row).add(due);
    leap.pending_of[replica].added(row, 1);
  };
  for (;;) {
    for (; stream.at < stream.drawn; ++stream.at) {
      const std::uint64_t round = stream.entry[stream.at], mark = stream.mark[stream.at];
      if (round > last) return;
      const double uniform = stream.uniform[stream.at];
      const bool ours = leap.ever[arm] != 0 && mark <= leap.top_mark[arm];
      const bool best = leap.ever[d.best_arm] != 0 && mark <= leap.top_mark[d.best_arm];
      const std::int64_t our_delay = ours ? arm_delay(d, arm, uniform) : 0, best_delay = best ? arm_delay(d, d.best_arm, uniform) : 0;
      if (ours) {
        switch (world.feedback) {
          case Feedback::delayed:
            if (our_delay <= reach) file(arm, round + static_cast<std::uint64_t>(our_delay));
            break;
          case Feedback::at_once:
            file(arm, round);
            break;
          case Feedback::at_window_end:
            if (our_delay <= reach) file(arm, round + static_cast<std::uint64_t>(books.window));
            break;
          case Feedback::never:
            break;
        }
      }
      if (ours && best && our_delay == best_delay) continue;
      if (best && best_delay <= reach) file(books.arms, round + static_cast<std::uint64_t>(best_delay));
      if (ours && our_delay <= reach) file(books.arms + 1, round + static_cast<std::uint64_t>(our_delay));
    }
    if (!refill<Arch>(d, books.first + leap.group + replica, stream)) return;
  }
}

/// Calls `each(arm)` for every other arm with a pending disclosure.
template <class Each>
[[gnu::always_inline]] inline void for_each_waiting(const DisclosuresOfReplica& pending, std::size_t arms, std::size_t but, Each each) {
  for (std::size_t first = 0; first < arms; first += 64) {
    std::uint64_t waiting = pending.waiting[first / 64];
    if (waiting == 0) continue;
    if (but - first < 64) waiting &= ~(std::uint64_t{1} << (but - first));
    if (arms - first < 64) waiting &= ~(~std::uint64_t{0} << (arms - first));  // the rows of the realised regret
    for (; waiting != 0; waiting &= waiting - 1) each(first + static_cast<unsigned>(__builtin_ctzll(waiting)));
  }
}

/// Pulls `arm` in the next `stretch` rounds, fewer if a conversion of another arm is disclosed before or a round is recorded, more where
/// its own disclosures keep it ahead (`is_certain`: it leads by the look), and leaves the books as they are after that.
template <class Arch, class Clock>
[[gnu::always_inline]] inline void advance(State& s, const Recording& recording, std::size_t replica, std::size_t arm, std::int64_t stretch,
                                           bool is_certain, Clock& clock) {
  Leap& leap = s.leap;
  const Books& books = s.books;
  const Index& index = s.policy.index;
  const DisclosuresOfReplica& pending = leap.pending_of[replica];
  const std::size_t lane = leap.group + replica, lanes = books.lanes, arms = books.arms, cell = arm * lanes + lane;
  const std::int64_t now = leap.clock[replica], recorded = recording.at[leap.record[replica]];
  const std::int64_t end = recorded - now < leap.longest ? recorded : now + leap.longest;
  bool is_cut = false;
  std::uint32_t own = 0;
  std::int64_t last = now;
  if (is_certain) {  // its conversions that are already on their way count before anything is filed
    std::uint32_t coming = 0;
    for (std::int64_t further = stretch, ahead = now; ahead + further < end && coming != pending.pending[arm];
         stretch = ahead + further - now) {
      const std::uint32_t more =
          DisclosureRow<Arch>(pending, arm).count(static_cast<std::uint64_t>(ahead), static_cast<std::uint64_t>(ahead + further));
      if (more == 0) break;
      coming += more, ahead += further;
      further = still_ahead<Arch>(leap, index.clamped, replica, arm, coming, ahead - now);
    }
  }
  for (std::int64_t further = stretch;;) {
    const auto done = static_cast<std::uint64_t>(last);
    last = end - last < further ? end : last + further;
    for_each_waiting(pending, arms, arm, [&](std::size_t other) {
      const auto next = static_cast<std::int64_t>(DisclosureRow<Arch>(pending, other).next(done, static_cast<std::uint64_t>(last)));
      is_cut |= next <= last;
      if (next <= last) last = next;
    });
    const auto to = static_cast<std::uint64_t>(last);
    std::uint32_t disclosed = 0;
    clock.mark(Stage::books);
    if (s.world.draws.by_arm) {
      file_stretch_by_arm<Arch>(leap, s.world, books, replica, arm, to);
    } else {
      const DisclosedAtOnce at_once = file_stretch<Arch>(leap, s.world.draws, books, replica, arm, to, clock);
      disclosed = at_once.own;
      books.missed[lane] += at_once.missed;
    }
    clock.mark(Stage::calendar);
    disclosed += take<Arch>(pending, arm, done, to);
    own += disclosed;
    if (is_cut || last == end || disclosed == 0 || !is_certain) break;
    further = still_ahead<Arch>(leap, index.clamped, replica, arm, own, last - now);
    if (further < Leap::kWorthwhile) break;
  }
  const auto from = static_cast<std::uint64_t>(now), until = static_cast<std::uint64_t>(last);
  const std::uint64_t count = until - from;
  const bool touches = index.form == model::IndexForm::klucb;
  books.conversions[cell] += own;
  if (touches && own != 0) leap.changed[leap.changes++] = static_cast<std::uint32_t>(cell);
  if (is_cut) {
    for_each_waiting(pending, arms, arm, [&](std::size_t other) {
      const std::uint32_t disclosed = take<Arch>(pending, other, until - 1, until);
      books.conversions[other * lanes + lane] += disclosed;
      if (touches && disclosed != 0) leap.changed[leap.changes++] = static_cast<std::uint32_t>(other * lanes + lane);
    });
  }
  if (pending.pending[arms] != 0) books.missed[lane] += take<Arch>(pending, arms, from, until);
  if (pending.pending[arms + 1] != 0) books.missed[lane] -= take<Arch>(pending, arms + 1, from, until);

  const Radius radius = index.radius();
  books.pulls[cell] += static_cast<double>(count);
  if (radius.of == RadiusOf::pulls) radius.root[cell] = __builtin_sqrt(books.pulls[cell] * radius.scale);
  double* const deficit = s.exposure.deficit.scaled;
  if (leap.decays) {
    // A pull of every age from 0 to count − 1, and what was there before.
    const double power = leap.powers.power(count);
    for (std::size_t other = lane; other < books.cells(); other += lanes) deficit[other] *= power;
    deficit[cell] += leap.powers.ratio * leap.powers.sum(count);
  }
  if (leap.runs.window != 0) {
    RunsOfReplica& runs = leap.runs_of[replica];
    runs.push(leap.runs, replica, arm, last);
    const std::int64_t window = leap.runs.window;
    if (last > window) {
      runs.drop(leap.runs, replica, now > window ? now - window : 0, last - window,
                [&](std::size_t gone, std::int64_t pulls, std::int64_t age) {
                  const std::size_t old = gone * lanes + lane;
                  books.matured[old] += static_cast<double>(pulls);
                  if (leap.decays)
                    deficit[old] -= s.exposure.deficit.matured * leap.powers.sum(static_cast<std::uint64_t>(pulls)) *
                                    leap.powers.power(static_cast<std::uint64_t>(age));
                  if (radius.of == RadiusOf::matured) radius.root[old] = __builtin_sqrt(books.matured[old] * radius.scale);
                  if (index.by_arm) index.visible[old] = index.window_cdf_by_arm[gone] * books.matured[old];
                });
    }
  }
  if (recording.actions != nullptr) {
    for (std::int64_t round = now; round < last; ++round) {
      recording.actions[static_cast<std::size_t>(round) * recording.stride + lane] = static_cast<std::uint16_t>(arm);
    }
  }
  leap.clock[replica] = last;
  leap.rounds += count;
  if (last == recorded) {
    record(s, recording, replica);
    leap.is_idle[replica] = ++leap.record[replica] == recording.rows;
  }
}

/// Every replica of a block from the rounds that the rounds engine left to the horizon. `first_row`: the next recorded round.
template <class Arch, bool profiled>
void leap(State& s, const Recording& recording, std::size_t first_row) {
  const Denormals<Arch> mode(true);
  s.instruction_set = Arch::name();
  StageClock<Arch, profiled> clock(s.ticks);
  Leap& leap = s.leap;
  const Index& index = s.policy.index;
  const bool touches = index.form == model::IndexForm::klucb;
  begin_leap(s);
  for (std::size_t group = 0; group < s.books.replicas; group += Leap::kTogether) {
    begin_group(s, group);
    for (std::size_t& row : leap.record) row = first_row;
    const std::size_t lanes = s.books.lanes,
                      count = s.books.replicas - group < Leap::kTogether ? s.books.replicas - group : Leap::kTogether;
    for (bool is_done = false; !is_done;) {
      look_at_clocks<Arch>(leap, index.exploration.epsilon);
      for (std::size_t i = 0; i < count; ++i) {
        if (leap.is_idle[i]) continue;
        if (leap.sums_runs) sum_runs(s, i);
        if (index.form == model::IndexForm::bernkl) renew_bernoulli<Arch>(leap, index, s.books, i);
        if (touches && leap.touched_at[i] == 0) {
          for (std::size_t arm = 0; arm < s.books.arms; ++arm) {
            leap.changed[leap.changes++] = static_cast<std::uint32_t>(arm * lanes + group + i);
          }
          leap.touched_at[i] = leap.beta[i];
        }
      }
      renew_tangents<Arch>(leap, s.books);
      look<Arch>(s);
      clock.mark(Stage::index);
      is_done = true;
      for (std::size_t i = 0; i < count; ++i) {
        if (leap.is_idle[i]) continue;
        ++leap.looks;
        auto stretch = static_cast<std::int64_t>(leap.stretch[i]);
        std::size_t arm = arm_of(leap.leader[i]);
        const bool is_certain = stretch >= 1 && index.form != model::IndexForm::bernkl;
        if (stretch < 1) {
          if (touches && leap.doubt[i] > 2 * leap.margin) {
            leap.touched_at[i] = 0;  // the tangents are too far from where they touch: new ones
            is_done = false;
            continue;
          }
          arm = decide_exactly(s, i);
          stretch = 1;
        }
        // Where the tangents' error costs half a round of the next stretch, they are renewed too.
        if (touches && (leap.doubt[i] - leap.margin) * static_cast<double>(leap.clock[i]) > 0.5) leap.touched_at[i] = 0;
        advance<Arch>(s, recording, i, arm, stretch, is_certain, clock);
        is_done &= leap.is_idle[i];
      }
      clock.mark(Stage::books);
    }
  }
}

}  // namespace dbandit::kernel
