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

/// Lists the lanes whose conversion uniform may lie below the best arm's θ: an eighth of a call per lane, one comparison
/// of the leading 16 bits. Writes candidate, counter, and the leading bits in place.
template <class Arch>
[[gnu::noinline]] std::size_t draw_candidates(State& s, std::int64_t round) {
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size, kGroups = kAbreast * kWidth;  // 8 lanes a group
  const std::size_t groups = s.lanes / 8, stride = State::words_stride(s.lanes);
  const std::uint64_t leading = s.best_threshold >> 36;
  const auto limit = static_cast<std::uint16_t>(leading < 65535 ? leading : 65535);
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::conversion);
  std::uint64_t* const __restrict words = s.words;
  std::uint32_t* const __restrict candidate = s.candidate;
  std::uint64_t* const __restrict counter = s.counter;
  std::uint64_t* const __restrict uniform = s.uniform;
  const std::uint64_t first = s.first;
  std::size_t count = 0;
  Words<Arch> group_counter = counting_from<Arch>(first / 8);
  std::uint64_t found = 0;  // one bit per lane; gathered until 64 lanes are full, so that the loop below rarely ends
  const auto list = [&](std::size_t word) {
    for (; found != 0; found &= found - 1) {
      const std::size_t hit = word + static_cast<unsigned>(__builtin_ctzll(found));
      candidate[count] = static_cast<std::uint32_t>(hit);
      counter[count] = first + hit;
      uniform[count] = (words[hit % 8 / 4 * stride + hit / 8] >> (16 * (hit % 4)) & 0xFFFF) << 36;
      count += hit < s.lanes;
    }
  };
  for (std::size_t group = 0; group < groups; group += kGroups) {
    Words<Arch> low[kAbreast], high[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      low[i] = group_counter, high[i] = Words<Arch>(static_cast<std::uint64_t>(round));
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

/// Delay (as the real number ln V / ln ρ, to be floored) and trailing conversion bits of every candidate, a full vector at a time.
template <class Arch>
[[gnu::noinline]] void draw_events(State& s, std::int64_t round, std::size_t count) {
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size;
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::event);
  const auto draw = [&]<std::size_t Abreast>(std::size_t at) {
    Words<Arch> low[Abreast], high[Abreast];
    for (std::size_t i = 0; i < Abreast; ++i) {
      low[i] = Words<Arch>::load_aligned(s.counter + at + i * kWidth), high[i] = Words<Arch>(static_cast<std::uint64_t>(round));
    }
    threefry<Arch>(s.seed, key, low, high);
    for (std::size_t i = 0; i < Abreast; ++i) {
      const std::size_t here = at + i * kWidth;
      // 1 + u 2^-52 has the bits of u as its mantissa; the subtraction and the half step are exact (rng::open_uniform).
      const auto unit = xsimd::bitwise_cast<Doubles<Arch>>((low[i] >> 12) | Words<Arch>(0x3FF0000000000000ULL));
      const auto v = (unit - Doubles<Arch>(1.0)) + Doubles<Arch>(0x1p-53);
      (xsimd::log(v) * Doubles<Arch>(s.inverse_log)).store_aligned(s.uniform_delay + here);
      (Words<Arch>::load_aligned(s.uniform + here) | (high[i] >> 28)).store_aligned(s.uniform + here);
    }
  };
  std::size_t at = 0;
  for (; at + kWidth < count; at += kAbreast * kWidth) draw.template operator()<kAbreast>(at);
  if (at < count) draw.template operator()<1>(at);
}

/// Files the conversions among the candidates that will be seen. One that the best arm would have had and ours had not is filed too,
/// under arm K: their count is the realised regret.
template <class Arch, class Entry>
[[gnu::noinline]] void convert(State& s, Calendar<Entry>& calendar, std::int64_t round, std::size_t count) {
  const std::int64_t left = s.horizon - round, reach = s.reach;
  const std::uint64_t best = s.best_threshold;
  const std::uint64_t* const __restrict threshold = s.threshold;
  // When a conversion of ours is due: after its delay, at the end of the window (Discarding), at once (immediate feedback), never.
  const bool at_once = s.statistic == model::Statistic::immediate, unseen = s.statistic == model::Statistic::none;
  const bool at_end = s.statistic == model::Statistic::matured;
  std::uint32_t* const __restrict due = s.due;
  auto* const __restrict entries = static_cast<Entry*>(s.entries);
  std::size_t kept = 0;
  // First all that can be decided, without a branch that the machine could not foresee, then the filing into chunks already on their way.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t lane = s.candidate[i];
    const std::size_t arm = arm_of<Arch>(s.action[lane]);
    const bool ours = s.uniform[i] < threshold[arm], seen = ours | (s.uniform[i] < best);
    const double real = s.uniform_delay[i];
    auto delay = static_cast<std::int64_t>(real);
    // The logarithm is good to a few ulp. Where that could move the floor, the law decides: then no target's last bit matters.
    const double fraction = real - static_cast<double>(delay), doubt = 1e-9 + real * 1e-14;
    if (__builtin_expect(fraction < doubt || fraction > 1 - doubt, 0)) delay = exact_delay(s, s.first + lane, round);
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

}  // namespace dbandit::kernel
