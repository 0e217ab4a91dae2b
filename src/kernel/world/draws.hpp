#pragma once

#include "rng/draws.hpp"
#include "kernel/books.hpp"
#include "kernel/setup.hpp"
#include "kernel/threefry.hpp"

/// What could happen in the world, whatever the arms: the conversions that the best arm would have, and their delays.
namespace dbandit::kernel {

/// The draws of a batch of rounds, one entry per conversion that some arm could have, and what they are made from.
struct Draws {
  static constexpr int kBatch = 8;

  std::uint64_t* threshold = nullptr;  ///< [arm] conversion iff the uniform's 52 bits are below
  std::uint64_t highest_threshold = 0;
  std::size_t best_arm = 0;  ///< with which the realised regret compares
  double inverse_log = 0;    ///< geometric law: 1 / ln ρ; 0 when every delay is 0
  const model::DelayLaw* law = nullptr;
  std::size_t tabled_laws = 0;                 ///< none for a geometric law
  const model::DelayTable** tables = nullptr;  ///< by arm, or one
  bool by_arm = false;                         ///< a delay is known once the arm is: `delay` holds its uniform

  std::int64_t batch_first = 0;        ///< first round of the batch; 0: none drawn yet
  std::size_t slice[kBatch + 1] = {};  ///< where each round's entries begin
  std::uint64_t* replica = nullptr;
  std::uint64_t* round = nullptr;
  std::uint64_t* uniform = nullptr;  ///< 52 bits of the conversion's uniform
  double* delay = nullptr;
  std::uint64_t* words = nullptr;  ///< scratch: 2 per 8 lanes, padded

  /// 8 lanes share a call; room for the calls abreast of the widest target.
  [[gnu::always_inline]] static constexpr std::size_t words_stride(std::size_t lanes) { return (lanes / 8 + 15) / 16 * 16; }
  [[nodiscard, gnu::always_inline]] bool must_be_drawn(std::int64_t now) const { return batch_first == 0 || now >= batch_first + kBatch; }
  /// The entries of a round of the batch are begin_of(round) … end_of(round) − 1.
  [[nodiscard, gnu::always_inline]] std::size_t begin_of(std::int64_t now) const {
    assert(now >= batch_first && now < batch_first + kBatch);
    return slice[now - batch_first];
  }
  [[nodiscard, gnu::always_inline]] std::size_t end_of(std::int64_t now) const { return slice[now - batch_first + 1]; }

  void size(const Setup& setup, std::int64_t longest_wait);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup);
};

/// Turns the uniforms of the first `count` delays into delays by the law's table.
void look_up_delays(Draws& draws, std::size_t count);
/// The delay of an arm's conversion with that uniform.
std::int64_t arm_delay(const Draws& draws, std::size_t arm, double uniform);
/// A delay that the fast logarithm could not place: the law's own inverse CDF.
std::int64_t exact_delay(const Draws& draws, std::uint64_t seed, std::uint64_t replica, std::uint64_t round);

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
inline std::size_t draw_candidates(Draws& d, const Books& books, std::uint64_t round, std::size_t count) {
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size, kGroups = kAbreast * kWidth;  // 8 lanes a group
  const std::size_t groups = books.lanes / 8, stride = Draws::words_stride(books.lanes);
  const std::uint64_t leading = d.highest_threshold >> 36;
  const auto limit = static_cast<std::uint16_t>(leading < 65535 ? leading : 65535);
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::conversion);
  std::uint64_t* const __restrict words = d.words;
  std::uint64_t* const __restrict replicas = d.replica;
  std::uint64_t* const __restrict rounds = d.round;
  std::uint64_t* const __restrict uniform = d.uniform;
  const std::uint64_t first = books.first;
  Words<Arch> group_counter = counting_from<Arch>(first / 8);
  std::uint64_t found = 0;  // one bit per lane; gathered until 64 lanes are full, so that the loop below rarely ends
  const auto list = [&](std::size_t word) {
    for (; found != 0; found &= found - 1) {
      const std::size_t hit = word + static_cast<unsigned>(__builtin_ctzll(found));
      replicas[count] = first + hit;
      rounds[count] = round;
      uniform[count] = (words[hit % 8 / 4 * stride + hit / 8] >> (16 * (hit % 4)) & 0xFFFF) << 36;
      count += hit < books.lanes;
    }
  };
  for (std::size_t group = 0; group < groups; group += kGroups) {
    Words<Arch> low[kAbreast], high[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      low[i] = group_counter, high[i] = Words<Arch>(round);
      group_counter = group_counter + Words<Arch>(std::uint64_t{kWidth});
    }
    threefry<Arch>(books.seed, key, low, high);
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
[[gnu::noinline]] void draw_events(Draws& d, const Books& books, std::size_t count) {
  using D = Doubles<Arch>;
  constexpr std::size_t kAbreast = 2, kWidth = Words<Arch>::size;
  const std::uint64_t key = static_cast<std::uint64_t>(rng::Stream::event);
  const bool tabled = d.tabled_laws != 0;
  for (std::size_t at = 0; at < count; at += kAbreast * kWidth) {
    Words<Arch> low[kAbreast], high[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      low[i] = Words<Arch>::load_aligned(d.replica + at + i * kWidth), high[i] = Words<Arch>::load_aligned(d.round + at + i * kWidth);
    }
    threefry<Arch>(books.seed, key, low, high);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = at + i * kWidth;
      (Words<Arch>::load_aligned(d.uniform + here) | (high[i] >> 28)).store_aligned(d.uniform + here);
      // 1 + u 2^-52 has the bits of u as its mantissa; the subtraction and the half step are exact (rng::open_uniform).
      const auto unit = xsimd::bitwise_cast<D>((low[i] >> 12) | Words<Arch>(0x3FF0000000000000ULL));
      const D chance = (unit - D(1.0)) + D(0x1p-53);
      if (tabled) {
        chance.store_aligned(d.delay + here);
        continue;
      }
      const D real = xsimd::log(chance) * D(d.inverse_log), whole = xsimd::trunc(real);
      whole.store_aligned(d.delay + here);
      // The logarithm is good to a few ulp. Where that could move the floor, the law decides: then no target's last bit matters.
      const D fraction = real - whole, doubt = D(1e-9) + real * D(1e-14);
      for (unsigned found = bits<Arch>((fraction < doubt) | (fraction > D(1.0) - doubt)); found != 0; found &= found - 1) {
        const std::size_t event = here + static_cast<unsigned>(__builtin_ctz(found));
        d.delay[event] = static_cast<double>(exact_delay(d, books.seed, d.replica[event], d.round[event]));
      }
    }
  }
  if (tabled && !d.by_arm) look_up_delays(d, count);
}

/// The conversions that could happen in the next rounds, whatever the arms: the world does not depend on the policy, so its draws
/// are made for a batch of rounds at a time and the vectors are full.
template <class Arch>
[[gnu::noinline]] std::size_t draw_batch(Draws& d, const Books& books, std::int64_t round) {
  std::size_t count = 0;
  d.batch_first = round;
  for (int i = 0; i < Draws::kBatch; ++i) {
    d.slice[i] = count;
    count = draw_candidates<Arch>(d, books, static_cast<std::uint64_t>(round + i), count);
  }
  d.slice[Draws::kBatch] = count;
  return count;
}

}  // namespace dbandit::kernel
