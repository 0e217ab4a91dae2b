#pragma once

#include "kernel/world/draws.hpp"

namespace dbandit::kernel {

/// The candidates of one replica after another round, a batch at a time: the world does not depend on the arms, so its calls are many
/// abreast however short the stretches are.
struct Stream {
  static constexpr std::size_t kMasks = 256;                   ///< blocks of 64 rounds whose masks are drawn together, at most
  static constexpr std::size_t kBatch = 32;                    ///< candidates drawn together
  static constexpr std::size_t kWanted = 128;                  ///< candidates that are listed before they are drawn
  static constexpr std::size_t kRoom = kWanted + 64 + kBatch;  ///< a block may list 64 more, and a batch is drawn whole
  static constexpr std::uint64_t kFar = 0x7FFFFFFF;            ///< stands for every longer delay
  static constexpr std::uint64_t kNoRound = ~std::uint64_t{0};

  std::uint64_t block = 0;       ///< whose mask is drawn next
  std::uint64_t last_block = 0;  ///< the horizon's
  std::uint64_t horizon = 0;
  std::uint64_t first_bits = 0;  ///< of the first mask
  std::uint64_t base = 0;        ///< the first round of the masks below
  std::uint32_t masks = 0;       ///< that are drawn together: as many as have a few batches of candidates
  std::uint32_t mask_at = 0, mask_end = 0;
  std::uint32_t at = 0;      ///< the next candidate
  std::uint32_t drawn = 0;   ///< so many have a mark and a delay
  std::uint32_t listed = 0;  ///< so many more are listed
  alignas(64) std::uint64_t mask[kMasks];
  alignas(64) std::uint16_t place[kRoom + 64];  ///< of the listed ones, after `base`
  alignas(64) std::uint64_t entry[kRoom + 8];   ///< the round and, above bit 32, the delay; after the last one a vector of kNoRound
  alignas(64) std::uint64_t mark[kRoom + 8];
  alignas(64) double uniform[kRoom];  ///< of the delay, where that depends on the arm or needs a table

  /// Candidates of rounds first … last.
  [[gnu::always_inline]] void begin(std::int64_t first, std::int64_t last, int halvings) {
    block = static_cast<std::uint64_t>(first) / 64;
    horizon = static_cast<std::uint64_t>(last);
    last_block = horizon / 64;
    if (halvings > 4096) block = last_block + 1;  // no arm ever converts
    masks = halvings < 3 ? 32 : halvings < 6 ? 4U << halvings : kMasks;
    mask_at = mask_end = at = drawn = listed = 0;
    first_bits = ~std::uint64_t{0} << static_cast<std::uint64_t>(first) % 64;
    for (std::size_t i = 0; i < 8; ++i) entry[i] = kNoRound;
  }
};

/// The delays of entries by the law's table, in place of their uniforms.
void look_up_delays(const Draws& draws, Stream& stream, std::size_t count);

template <class Arch>
[[gnu::noinline]] void draw_stream_masks(const Draws& d, std::uint64_t replica, Stream& s) {
  constexpr std::size_t kAbreast = kCallsAbreast<Arch>, kWidth = Words<Arch>::size;
  const int halvings = d.candidates.halvings;
  s.base = s.block * 64;
  const std::uint64_t left = s.last_block + 1 - s.block;
  s.mask_at = 0, s.mask_end = static_cast<std::uint32_t>(left < s.masks ? left : s.masks);
  Words<Arch> replicas[kAbreast], blocks[kAbreast], low[kAbreast], high[kAbreast];
  for (auto& one : replicas) one = Words<Arch>(replica);
  for (std::size_t at = 0; at < s.mask_end; at += kAbreast * kWidth) {
    Words<Arch> mask[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      mask[i] = Words<Arch>(~std::uint64_t{0});
      blocks[i] = counting_from<Arch>(s.block + at + i * kWidth);
    }
    for (int word = 0; word < halvings; word += 2) {
      philox<Arch>(d.candidates.seed, rng::Stream::candidates, static_cast<std::uint64_t>(word / 2), replicas, blocks, low, high);
      Words<Arch> some(std::uint64_t{0});
      for (std::size_t i = 0; i < kAbreast; ++i) {
        mask[i] = mask[i] & low[i];
        if (word + 1 < halvings) mask[i] = mask[i] & high[i];
        some = some | mask[i];
      }
      if (xsimd::all(some == Words<Arch>(std::uint64_t{0}))) break;
    }
    for (std::size_t i = 0; i < kAbreast; ++i) mask[i].store_aligned(s.mask + at + i * kWidth);
  }
  s.mask[0] &= s.first_bits, s.first_bits = ~std::uint64_t{0};
  s.block += s.mask_end;
  if (s.block > s.last_block) s.mask[s.mask_end - 1] &= ~std::uint64_t{0} >> (63 - s.horizon % 64);
}

/// The ones of a byte, lowest first, as words of 16 bits.
template <class Arch>
struct OnesOfByte {
  std::uint64_t at[256][2];
  constexpr OnesOfByte() : at() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      for (unsigned bit = 0, count = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) at[byte][count / 4] |= std::uint64_t{bit} << 16 * (count % 4), ++count;
      }
    }
  }
};
template <class Arch>
inline constexpr OnesOfByte<Arch> kOnesOfByte;

/// Appends base + i for every one of `mask`, i its place; may write up to eight more. How many ones there are is what a branch could not
/// foresee: where they are many they are listed a byte at a time, where they are few as many as nearly every mask has at most.
template <class Arch>
[[gnu::always_inline]] inline std::size_t list_ones(std::uint64_t mask, std::uint64_t base, bool is_dense, std::uint16_t* place,
                                                    std::size_t listed) {
  if (is_dense) {
    for (std::uint64_t i = 0; i < 8; ++i, mask >>= 8) {
      const std::uint64_t(&ones)[2] = kOnesOfByte<Arch>.at[mask & 0xFF];
      const std::uint64_t to_each = (base + 8 * i) * 0x0001000100010001;
      const std::uint64_t four[2] = {ones[0] + to_each, ones[1] + to_each};
      __builtin_memcpy(place + listed, four, sizeof four);
      listed += static_cast<unsigned>(__builtin_popcountll(mask & 0xFF));
    }
    return listed;
  }
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;  // so that there is one to be found
  for (int i = 0; i < 2; ++i, mask &= mask - (mask != 0)) {
    place[listed] = static_cast<std::uint16_t>(base + static_cast<unsigned>(__builtin_ctzll(mask | kEnd)));
    listed += mask != 0;
  }
  for (; mask != 0; mask &= mask - 1) place[listed++] = static_cast<std::uint16_t>(base + static_cast<unsigned>(__builtin_ctzll(mask)));
  return listed;
}

/// The next candidates, once those drawn are used up. False when there are no more.
template <class Arch>
[[gnu::noinline]] bool refill(const Draws& d, std::uint64_t replica, Stream& s) {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  constexpr std::size_t kAbreast = kCallsAbreast<Arch>, kWidth = W::size;
  static_assert(Stream::kBatch % (kAbreast * kWidth) == 0);
  const bool is_dense = d.candidates.halvings < 6;
  std::size_t listed = s.listed;
  // Places are after the first round of their masks, so all of these are drawn before there are new ones.
  while (listed < Stream::kWanted) {
    if (s.mask_at == s.mask_end) {
      if (listed != 0 || s.block > s.last_block) break;
      draw_stream_masks<Arch>(d, replica, s);
    }
    listed = list_ones<Arch>(s.mask[s.mask_at], 64 * s.mask_at, is_dense, s.place, listed);
    ++s.mask_at;
  }
  const std::size_t count = s.mask_at == s.mask_end ? listed : listed / Stream::kBatch * Stream::kBatch;
  s.drawn = static_cast<std::uint32_t>(count), s.at = 0;
  std::uint64_t* const __restrict entry = s.entry;
  const bool tabled = d.tabled_laws != 0;
  const GeometricDelay<Arch> geometric(d.inverse_log);
  W replicas[kAbreast];
  for (auto& one : replicas) one = W(replica);
  for (std::size_t at = 0; at < count; at += kAbreast * kWidth) {
    W round[kAbreast], mark[kAbreast], uniform[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) round[i] = load_shorts<Arch>(s.place + at + i * kWidth) + W(s.base);
    philox<Arch>(d.candidates.seed, rng::Stream::outcome, 0, replicas, round, mark, uniform);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = at + i * kWidth;
      mark[i].store_aligned(s.mark + here);
      if (tabled) {
        round[i].store_aligned(entry + here);
        open_uniform<Arch>(uniform[i]).store_aligned(s.uniform + here);
        continue;
      }
      Mask<Arch> doubtful;
      const D whole = xsimd::min(geometric(uniform[i], doubtful), D(static_cast<double>(Stream::kFar)));
      // 2^52 + delay has the delay as its lowest bits.
      const W delay = xsimd::bitwise_cast<W>(whole + D(0x1p52));
      (round[i] | (delay << 32)).store_aligned(entry + here);
      for (unsigned found = bits<Arch>(doubtful); found != 0; found &= found - 1) {
        const std::size_t at_doubt = here + static_cast<unsigned>(__builtin_ctz(found));
        if (at_doubt >= count) continue;
        const std::uint64_t when = entry[at_doubt] & 0xFFFFFFFF;
        const auto exact = static_cast<std::uint64_t>(exact_delay(d, d.candidates.seed, replica, when));
        entry[at_doubt] = when | (exact < Stream::kFar ? exact : Stream::kFar) << 32;
      }
    }
  }
  if (tabled && !d.by_arm) look_up_delays(d, s, count);
  W(Stream::kNoRound).store_unaligned(entry + count);
  s.listed = static_cast<std::uint32_t>(listed - count);
  std::uint16_t rest[Stream::kBatch];
  __builtin_memcpy(rest, s.place + count, sizeof rest);
  __builtin_memcpy(s.place, rest, sizeof rest);
  return count != 0;
}

}  // namespace dbandit::kernel
