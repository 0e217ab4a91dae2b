#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/arena.hpp"

namespace dbandit::kernel {

/// Pending disclosures of one replica: for each arm, how many of its conversions are disclosed in which of the coming rounds, as bit planes
/// over a ring of rounds (plane p has the bit 2^p of every count). So a stretch is credited by popcounts and the next disclosure is found
/// a word at a time. Two more rows count the realised regret, like the arms K and K + 1 of Entry.
///
/// A round discloses a number of conversions whose mean is at most Σ_d θ P(D = d) ≤ 1, each of another pull: 64 of them have a chance
/// below 1/64! < 1e-89, so six planes are enough for any law.
struct Disclosures {
  static constexpr unsigned kMostPlanes = 6;

  std::size_t rows = 0;          ///< of a replica
  unsigned planes = 2;           ///< of a row
  std::uint64_t words = 0;       ///< of a plane: a power of two
  std::uint64_t* bits = nullptr;  ///< [replica][row][plane][word]
  std::uint8_t* used = nullptr;   ///< [replica][row] planes that are in use; the others are not even zeros yet
  std::uint32_t* pending = nullptr;  ///< [replica][row]
  std::uint64_t* waiting = nullptr;  ///< [replica] which rows have something pending, a bit each
  std::size_t waiting_words = 0;

  void size(std::size_t arms, std::int64_t reach, std::int64_t stretch) {
    rows = arms + 2;
    waiting_words = (rows + 63) / 64;
    while (planes < kMostPlanes && (std::int64_t{1} << planes) <= reach + 1) ++planes;
    words = 1;
    while (static_cast<std::int64_t>(words * 64) < reach + stretch + 1) words *= 2;
  }
  void declare(Rows& memory, std::size_t replicas) {
    bits = memory.room<std::uint64_t>(replicas * rows * planes * words);
    memory(used, replicas * rows);
    memory(pending, replicas * rows);
    memory(waiting, replicas * waiting_words);
  }
};

/// One replica's row.
template <class Arch>
struct DisclosureRow {
  DisclosureRow(const Disclosures& all, std::size_t replica, std::size_t row)
      : bits(all.bits + (replica * all.rows + row) * all.planes * all.words),
        used(all.used + replica * all.rows + row),
        pending(all.pending + replica * all.rows + row),
        waiting(all.waiting + replica * all.waiting_words + row / 64),
        words(all.words),
        planes(all.planes),
        flag(std::uint64_t{1} << row % 64) {}

  /// Must come before `add`: the first two planes are always there.
  [[gnu::always_inline]] void open() const {
    if (*used != 0) return;
    __builtin_memset(bits, 0, 2 * words * sizeof *bits);
    *used = 2;
  }
  /// One more in that round, or none.
  [[gnu::always_inline]] void add(std::uint64_t round, bool one) const {
    std::uint64_t* const word = bits + (round / 64 & (words - 1));
    const std::uint64_t bit = std::uint64_t{one} << round % 64, ones = *word, carry = ones & bit;
    *word = ones ^ bit;
    std::uint64_t* const twos = word + words;
    const std::uint64_t second = *twos, rest = second & carry;
    *twos = second ^ carry;
    if (rest != 0) [[unlikely]] carry_on(round / 64 & (words - 1), rest);
  }
  [[gnu::always_inline]] void added(std::uint32_t count) const {
    *pending += count;
    if (count != 0) *waiting |= flag;
  }
  /// How many there are in rounds after + 1 … last; they are gone then.
  [[gnu::always_inline]] std::uint32_t take(std::uint64_t after, std::uint64_t last) const {
    if (*pending == 0) return 0;
    std::uint32_t sum = 0;
    const std::uint64_t first = after + 1;
    const unsigned used_planes = *used;
    for (std::uint64_t block = first / 64; block <= last / 64; ++block) {
      const std::uint64_t in = within(block, first, last);
      std::uint64_t* word = bits + (block & (words - 1));
      for (unsigned plane = 0; plane < used_planes; ++plane, word += words) {
        sum += static_cast<std::uint32_t>(__builtin_popcountll(*word & in)) << plane;
        *word &= ~in;
      }
    }
    *pending -= sum;
    if (*pending == 0) *waiting &= ~flag;
    return sum;
  }
  /// The first of rounds after + 1 … last that discloses something; last + 1 if none does.
  [[gnu::always_inline]] std::uint64_t next(std::uint64_t after, std::uint64_t last) const {
    const std::uint64_t first = after + 1;
    const unsigned used_planes = *used;
    for (std::uint64_t block = first / 64; block <= last / 64; ++block) {
      const std::uint64_t* word = bits + (block & (words - 1));
      std::uint64_t any = 0;
      for (unsigned plane = 0; plane < used_planes; ++plane, word += words) any |= *word;
      any &= within(block, first, last);
      if (any != 0) return block * 64 + static_cast<unsigned>(__builtin_ctzll(any));
    }
    return last + 1;
  }

 private:
  /// The bits of a word whose rounds are first … last.
  [[gnu::always_inline]] static std::uint64_t within(std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    std::uint64_t in = ~std::uint64_t{0};
    if (block == first / 64) in &= ~std::uint64_t{0} << first % 64;
    if (block == last / 64) in &= ~std::uint64_t{0} >> (63 - last % 64);
    return in;
  }
  [[gnu::noinline]] void carry_on(std::uint64_t word, std::uint64_t carry) const {
    for (unsigned plane = 2; carry != 0 && plane < planes; ++plane) {
      std::uint64_t* const begin = bits + plane * words;
      if (plane >= *used) {
        __builtin_memset(begin, 0, words * sizeof *bits);
        *used = static_cast<std::uint8_t>(plane + 1);
      }
      const std::uint64_t before = begin[word];
      begin[word] = before ^ carry;
      carry &= before;
    }
  }

  std::uint64_t* bits;
  std::uint8_t* used;
  std::uint32_t* pending;
  std::uint64_t* waiting;
  std::uint64_t words;
  unsigned planes;
  std::uint64_t flag;
};

}  // namespace dbandit::kernel
