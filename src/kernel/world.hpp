#pragma once

#include "dbandit/rng/draws.hpp"
#include "kernel/calendar.hpp"
#include "kernel/threefry.hpp"

/// What happens in the world once the arms are chosen: conversions, their delays, and the calendar.
namespace dbandit::kernel {

/// Moves the i-th group of four bits to the (2i)-th.
template <class Arch>
inline std::uint64_t spread_nibbles(std::uint64_t x) {
  x = (x | x << 16) & 0x0000FFFF0000FFFFULL;
  x = (x | x << 8) & 0x00FF00FF00FF00FFULL;
  return (x | x << 4) & 0x0F0F0F0F0F0F0F0FULL;
}

/// Lists the lanes whose conversion uniform may lie below the best arm's θ in a round: an eighth of a call per lane, one comparison
/// of the leading 16 bits. Appends to the batch; returns its new size.
template <class Arch>
inline std::size_t draw_candidates(State& s, std::uint64_t round, std::size_t count) {
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size, kGroups = kAbreast * kWidth;  // 8 lanes a group
  const std::size_t groups = s.lanes / 8, stride = State::words_stride(s.lanes);
  const std::uint64_t leading = s.best_threshold >> 36;
  const auto limit = static_cast<std::uint16_t>(leading < 65535 ? leading : 65535);
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::conversion);
  std::uint64_t* const __restrict words = s.words;
  std::uint64_t* const __restrict counter = s.counter;
  std::uint64_t* const __restrict moment = s.moment;
  std::uint64_t* const __restrict uniform = s.uniform;
  const std::uint64_t first = s.first;
  Words<Arch> group_counter = counting_from<Arch>(first / 8);
  std::uint64_t found = 0;  // one bit per lane; gathered until 64 lanes are full, so that the loop below rarely ends
  const auto list = [&](std::size_t word) {
    for (; found != 0; found &= found - 1) {
      const std::size_t hit = word + static_cast<unsigned>(__builtin_ctzll(found));
      counter[count] = first + hit;
      moment[count] = round;
      uniform[count] = (words[hit % 8 / 4 * stride + hit / 8] >> (16 * (hit % 4)) & 0xFFFF) << 36;
      count += hit < s.lanes;
    }
  };
  for (std::size_t group = 0; group < groups; group += kGroups) {
    Words<Arch> low[kAbreast], high[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      low[i] = group_counter, high[i] = Words<Arch>(round);
      group_counter = group_counter + Words<Arch>(std::uint64_t{kWidth});
    }
    threefry<Arch>(s.seed, key, low, high);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = group + i * kWidth, lane = here * 8;
      low[i].store_aligned(words + here);
      high[i].store_aligned(words + stride + here);
      found |= (spread_nibbles<Arch>(parts_at_most<Arch>(low[i], limit)) | spread_nibbles<Arch>(parts_at_most<Arch>(high[i], limit)) << 4)
               << lane % 64;
      if ((lane + 8 * kWidth) % 64 == 0) list(lane / 64 * 64);
    }
  }
  list(groups * 8 / 64 * 64);
  return count;
}

/// Delay and trailing conversion bits of every candidate of the batch, full vectors at a time.
template <class Arch>
[[gnu::noinline]] void draw_events(State& s, std::size_t count) {
  using D = Doubles<Arch>;
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size;
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::event);
  const bool tabled = s.delay_tables != nullptr;
  for (std::size_t at = 0; at < count; at += kAbreast * kWidth) {
    Words<Arch> low[kAbreast], high[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      low[i] = Words<Arch>::load_aligned(s.counter + at + i * kWidth), high[i] = Words<Arch>::load_aligned(s.moment + at + i * kWidth);
    }
    threefry<Arch>(s.seed, key, low, high);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = at + i * kWidth;
      (Words<Arch>::load_aligned(s.uniform + here) | (high[i] >> 28)).store_aligned(s.uniform + here);
      // 1 + u 2^-52 has the bits of u as its mantissa; the subtraction and the half step are exact (rng::open_uniform).
      const auto unit = xsimd::bitwise_cast<D>((low[i] >> 12) | Words<Arch>(0x3FF0000000000000ULL));
      const D chance = (unit - D(1.0)) + D(0x1p-53);
      if (tabled) {
        chance.store_aligned(s.delay + here);
        continue;
      }
      const D real = xsimd::log(chance) * D(s.inverse_log), whole = xsimd::trunc(real);
      whole.store_aligned(s.delay + here);
      // The logarithm is good to a few ulp. Where that could move the floor, the law decides: then no target's last bit matters.
      const D fraction = real - whole, doubt = D(1e-9) + real * D(1e-14);
      for (unsigned found = bits<Arch>((fraction < doubt) | (fraction > D(1.0) - doubt)); found != 0; found &= found - 1) {
        const std::size_t event = here + static_cast<unsigned>(__builtin_ctz(found));
        s.delay[event] = static_cast<double>(exact_delay(s, s.counter[event], s.moment[event]));
      }
    }
  }
  if (tabled && !s.delays_by_arm) look_up_delays(s, count);
}

/// The conversions that could happen in the next rounds, whatever the arms: the world does not depend on the policy, so its draws
/// are made for a batch of rounds at a time and the vectors are full.
template <class Arch>
[[gnu::noinline]] std::size_t draw_batch(State& s, std::int64_t round) {
  std::size_t count = 0;
  s.batch_first = round;
  for (int i = 0; i < State::kBatch; ++i) {
    s.batch_slice[i] = count;
    count = draw_candidates<Arch>(s, static_cast<std::uint64_t>(round + i), count);
  }
  s.batch_slice[State::kBatch] = count;
  return count;
}

/// Files the round's conversions that will be seen. One that the best arm would have had and ours had not is filed too, under arm K:
/// their count is the realised regret.
template <class Arch, class Entry>
[[gnu::noinline]] void convert(State& s, Calendar<Entry>& calendar, std::int64_t round) {
  const std::int64_t left = s.horizon - round, reach = s.reach;
  const std::uint64_t best = s.best_threshold;
  const std::uint64_t* const __restrict threshold = s.threshold;
  // When a conversion of ours is due: after its delay, at the end of the window (Discarding), at once (immediate feedback), never.
  const bool at_once = s.statistic == model::Statistic::immediate, unseen = s.statistic == model::Statistic::none;
  const bool at_end = s.statistic == model::Statistic::matured;
  std::uint32_t* const __restrict due = s.due;
  auto* const __restrict entries = static_cast<Entry*>(s.entries);
  std::size_t kept = 0;
  const std::int64_t slice = round - s.batch_first;
  // First all that can be decided, without a branch that the machine could not foresee, then the filing into chunks already on their way.
  for (std::size_t i = s.batch_slice[slice]; i < s.batch_slice[slice + 1]; ++i) {
    const std::size_t lane = s.counter[i] - s.first;
    const std::size_t arm = arm_of<Arch>(s.action[lane]);
    const bool ours = s.uniform[i] < threshold[arm], seen = ours | (s.uniform[i] < best);
    const auto delay = static_cast<std::int64_t>(s.delay[i]);
    const std::int64_t wait = ours && at_once ? 0 : ours && at_end ? s.window : delay;
    const bool reached = delay <= reach || (ours && at_once);
    Entry entry = static_cast<Entry>(lane | (ours ? arm : s.arms) << 16);
    if constexpr (sizeof(Entry) == 8) entry |= static_cast<Entry>(delay) << 32;
    due[kept] = static_cast<std::uint32_t>(wait);
    entries[kept] = entry;
    kept += seen & reached & (wait <= left) & !(ours && unseen);
  }
  for (std::size_t i = 0; i < kept; ++i) __builtin_prefetch(&calendar.chunks[bucket_at<Arch>(calendar, due[i])], 1);
  for (std::size_t i = 0; i < kept; ++i) schedule<Arch>(calendar, due[i], entries[i]);
}

/// The same where the delay depends on the arm: known only now. The best arm's conversion and ours are disclosed in different rounds, so
/// each is filed for the realised regret, under arms K (+1) and K + 1 (−1), unless they cancel.
template <class Arch, class Entry>
[[gnu::noinline]] void convert_by_arm(State& s, Calendar<Entry>& calendar, std::int64_t round) {
  const std::int64_t left = s.horizon - round;
  const std::int64_t slice = round - s.batch_first;
  for (std::size_t i = s.batch_slice[slice]; i < s.batch_slice[slice + 1]; ++i) {
    const std::size_t lane = s.counter[i] - s.first, arm = arm_of<Arch>(s.action[lane]);
    const bool ours = s.uniform[i] < s.threshold[arm], best = s.uniform[i] < s.threshold[s.best_arm];
    const std::int64_t our_delay = ours ? arm_delay(s, arm, s.delay[i]) : 0;
    const std::int64_t best_delay = best ? arm_delay(s, s.best_arm, s.delay[i]) : 0;
    const auto file = [&](std::size_t what, std::int64_t wait) {
      Entry entry = static_cast<Entry>(lane | what << 16);
      if constexpr (sizeof(Entry) == 8) entry |= static_cast<Entry>(our_delay) << 32;
      if (wait <= left) schedule<Arch>(calendar, wait, entry);
    };
    if (ours && s.statistic == model::Statistic::immediate) {
      file(arm, 0);
    } else if (ours && s.statistic != model::Statistic::none && our_delay <= s.reach) {
      file(arm, s.statistic == model::Statistic::matured ? s.window : our_delay);
    }
    if (ours && best && our_delay == best_delay) continue;
    if (best && best_delay <= s.reach) file(s.arms, best_delay);
    if (ours && our_delay <= s.reach) file(s.arms + 1, our_delay);
  }
}

}  // namespace dbandit::kernel
