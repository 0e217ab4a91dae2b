#pragma once

#include "kernel/books.hpp"
#include "kernel/philox.hpp"
#include "kernel/setup.hpp"
#include "kernel/world/geometric_delay.hpp"
#include "rng/candidates.hpp"

/// What could happen in the world, whatever the arms: the candidates, their marks and their delays (rng/candidates.hpp). The world does
/// not depend on the policy, so its draws are made for a batch of rounds at a time and the vectors are full.
namespace dbandit::kernel {

/// The candidates of a batch of rounds, and what they are made from.
struct Draws {
  static constexpr std::int64_t kMaskRounds = rng::Candidates::kRounds;
  static constexpr std::size_t kGroup = 64;  ///< lanes of a word of candidates

  rng::Candidates candidates;
  Uint128* limit = nullptr;  ///< [arm] conversion iff the mark is below
  Uint128 highest_limit = 0;
  std::size_t best_arm = 0;  ///< with which the realised regret compares
  double inverse_log = 0;    ///< geometric law: 1 / ln ρ; 0 when every delay is 0
  const model::DelayLaw* law = nullptr;
  std::size_t tabled_laws = 0;                 ///< none for a geometric law
  const model::DelayTable** tables = nullptr;  ///< by arm, or one
  bool by_arm = false;                         ///< a delay is known once the arm is: `delay` holds its uniform

  std::int64_t batch = 1;              ///< rounds of a batch, which begins at a multiple of them
  std::int64_t first = 0, end = 0;     ///< rounds drawn: first … end − 1
  std::size_t slice[kMaskRounds + 1];  ///< where the entries of round first + i begin
  std::uint64_t* by_lane = nullptr;    ///< [lane] candidates of 64 rounds
  std::uint64_t* by_round = nullptr;   ///< [group][round] the same, of 64 lanes
  std::uint64_t* replica = nullptr;    ///< of an entry; so are the rest
  std::uint64_t* round = nullptr;
  std::uint64_t* mark = nullptr;
  double* delay = nullptr;

  [[gnu::always_inline]] static constexpr std::size_t groups(std::size_t lanes) { return (lanes + kGroup - 1) / kGroup; }
  [[nodiscard, gnu::always_inline]] bool must_be_drawn(std::int64_t now) const { return now >= end; }
  /// The entries of a round of the batch are begin_of(round) … end_of(round) − 1.
  [[nodiscard, gnu::always_inline]] std::size_t begin_of(std::int64_t now) const {
    assert(now >= first && now < end);
    return slice[now - first];
  }
  [[nodiscard, gnu::always_inline]] std::size_t end_of(std::int64_t now) const { return slice[now - first + 1]; }

  void size(const Setup& setup, const Books& books, std::int64_t longest_wait);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup);
};

/// Turns the uniforms of the first `count` delays into delays by the law's table.
void look_up_delays(Draws& draws, std::size_t count);
/// The delay of an arm's conversion with that uniform.
std::int64_t arm_delay(const Draws& draws, std::size_t arm, double uniform);
/// A delay that the fast logarithm could not place: the law's own inverse CDF.
std::int64_t exact_delay(const Draws& draws, std::uint64_t seed, std::uint64_t replica, std::uint64_t round);

/// How many calls are worth interleaving, measured: four where vectors are wide, although 16 registers do not hold their state.
template <class Arch>
inline constexpr std::size_t kCallsAbreast = Words<Arch>::size >= 4 ? 4 : 2;

/// Rows to columns: bit j of word i becomes bit i of word j (Hacker's Delight, 7-3).
template <class Arch>
[[gnu::always_inline]] inline void transpose_bits(std::uint64_t (&word)[64]) {
  std::uint64_t mask = 0x00000000FFFFFFFFULL;
  for (unsigned j = 32; j != 0; j >>= 1, mask ^= mask << j) {
    for (unsigned i = 0; i < 64; i = (i + j + 1) & ~j) {
      const std::uint64_t moved = ((word[i] >> j) ^ word[i + j]) & mask;
      word[i] ^= moved << j;
      word[i + j] ^= moved;
    }
  }
}

/// The candidates of a block of 64 rounds in every lane: w_1 & … & w_k.
template <class Arch>
[[gnu::noinline]] void draw_masks(Draws& d, const Books& books, std::uint64_t block) {
  constexpr std::size_t kAbreast = kCallsAbreast<Arch>, kWidth = Words<Arch>::size;
  const int halvings = d.candidates.halvings;
  for (std::size_t lane = 0; lane < books.lanes; lane += kAbreast * kWidth) {  // rows are padded to a group of lanes
    Words<Arch> left[kAbreast], low[kAbreast], high[kAbreast];
    for (auto& words : left) words = Words<Arch>(~std::uint64_t{0});
    for (int word = 0; word < halvings; word += 2) {
      philox_from<Arch>(d.candidates.seed, rng::Stream::candidates, static_cast<std::uint64_t>(word / 2), books.first + lane, block, low,
                        high);
      auto some = Words<Arch>(std::uint64_t{0});
      for (std::size_t i = 0; i < kAbreast; ++i) {
        left[i] = left[i] & low[i];
        if (word + 1 < halvings) left[i] = left[i] & high[i];
        some = some | left[i];
      }
      if (xsimd::all(some == Words<Arch>(std::uint64_t{0}))) break;
    }
    for (std::size_t i = 0; i < kAbreast; ++i) left[i].store_aligned(d.by_lane + lane + i * kWidth);
  }
  for (std::size_t group = 0; group < Draws::groups(books.lanes); ++group) {
    std::uint64_t word[64];
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t lane = group * 64 + i;
      word[i] = lane < books.replicas ? d.by_lane[lane] : 0;
    }
    transpose_bits<Arch>(word);
    __builtin_memcpy(d.by_round + group * 64, word, sizeof word);
  }
}

/// Lists the candidates of the batch that begins with `round`. Returns how many there are.
template <class Arch>
[[gnu::noinline]] std::size_t draw_batch(Draws& d, const Books& books, std::int64_t round) {
  const auto block = static_cast<std::uint64_t>(round / Draws::kMaskRounds);
  if (d.end == 0 || round % Draws::kMaskRounds == 0) draw_masks<Arch>(d, books, block);
  d.first = round;
  d.end = (round / d.batch + 1) * d.batch;
  std::uint64_t* const __restrict replicas = d.replica;
  std::uint64_t* const __restrict rounds = d.round;
  std::size_t count = 0;
  for (std::int64_t now = round; now < d.end; ++now) {
    d.slice[now - round] = count;
    for (std::size_t group = 0; group < Draws::groups(books.lanes); ++group) {
      const std::uint64_t first = books.first + group * Draws::kGroup;
      for (std::uint64_t found = d.by_round[group * 64 + static_cast<std::size_t>(now % Draws::kMaskRounds)]; found != 0;
           found &= found - 1) {
        replicas[count] = first + static_cast<unsigned>(__builtin_ctzll(found));
        rounds[count++] = static_cast<std::uint64_t>(now);
      }
    }
  }
  d.slice[d.end - round] = count;
  return count;
}

/// Mark and delay of every candidate of the batch, full vectors at a time.
template <class Arch>
[[gnu::noinline]] void draw_outcomes(Draws& d, std::size_t count) {
  constexpr std::size_t kAbreast = kCallsAbreast<Arch>, kWidth = Words<Arch>::size;
  const bool tabled = d.tabled_laws != 0;
  const GeometricDelay<Arch> geometric(d.inverse_log);
  for (std::size_t at = 0; at < count; at += kAbreast * kWidth) {
    Words<Arch> replica[kAbreast], round[kAbreast], mark[kAbreast], uniform[kAbreast];
    for (std::size_t i = 0; i < kAbreast; ++i) {
      replica[i] = Words<Arch>::load_aligned(d.replica + at + i * kWidth), round[i] = Words<Arch>::load_aligned(d.round + at + i * kWidth);
    }
    philox<Arch>(d.candidates.seed, rng::Stream::outcome, 0, replica, round, mark, uniform);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = at + i * kWidth;
      mark[i].store_aligned(d.mark + here);
      if (tabled) {
        open_uniform<Arch>(uniform[i]).store_aligned(d.delay + here);
        continue;
      }
      Mask<Arch> doubtful;
      geometric(uniform[i], doubtful).store_aligned(d.delay + here);
      for (unsigned found = bits<Arch>(doubtful); found != 0; found &= found - 1) {
        const std::size_t entry = here + static_cast<unsigned>(__builtin_ctz(found));
        d.delay[entry] = static_cast<double>(exact_delay(d, d.candidates.seed, d.replica[entry], d.round[entry]));
      }
    }
  }
  if (tabled && !d.by_arm) look_up_delays(d, count);
}

}  // namespace dbandit::kernel
