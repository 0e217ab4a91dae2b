#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/arena.hpp"
#include "kernel/lanes.hpp"

namespace dbandit::kernel {

/// What one replica has pending (Disclosures).
struct DisclosuresOfReplica {
  std::uint8_t* counts;
  std::uint32_t* pending;
  std::uint64_t* waiting;
  std::uint64_t length;

  [[gnu::always_inline]] void added(std::size_t row, std::uint32_t count) const {
    pending[row] += count;
    waiting[row / 64] |= std::uint64_t{count != 0} << row % 64;
  }
};

/// Pending disclosures of one replica: for each arm, how many of its conversions are disclosed in which of the coming rounds, as bytes over
/// a ring of rounds, so that a stretch is credited and the next disclosure found a vector at a time. Two more rows count the realised
/// regret, like the arms K and K + 1 of Entry.
///
/// A byte is enough for any law: the conversions that a round discloses are of different pulls and their mean number is at most
/// Σ_d θ P(D = d) ≤ 1, so 256 of them have a chance below 1/256! < 1e-500.
struct Disclosures {
  static constexpr std::uint64_t kBlock = 64;  ///< rounds of a cache line

  std::size_t rows = 0;              ///< of a replica
  std::uint64_t length = 0;          ///< of a ring: a power of two
  std::uint8_t* counts = nullptr;    ///< [replica][row][round mod length]
  std::uint32_t* pending = nullptr;  ///< [replica][row] sum of the ring
  std::uint64_t* waiting = nullptr;  ///< [replica] which rows have something pending, a bit each
  std::size_t waiting_words = 0;

  void size(std::size_t arms, std::int64_t reach, std::int64_t stretch) {
    rows = arms + 2;
    waiting_words = (rows + 63) / 64;
    length = kBlock;
    while (static_cast<std::int64_t>(length) < reach + stretch + 1) length *= 2;
  }
  void declare(Rows& memory, std::size_t replicas) {
    memory(counts, replicas * rows * length);
    memory(pending, replicas * rows);
    memory(waiting, replicas * waiting_words);
  }
  [[nodiscard]] DisclosuresOfReplica of(std::size_t replica) const {
    return {counts + replica * rows * length, pending + replica * rows, waiting + replica * waiting_words, length};
  }
  /// Forgets what is pending.
  void clear(std::size_t replicas) {
    for (std::size_t row = 0; row < replicas * rows; ++row) {
      if (pending[row] != 0) __builtin_memset(counts + row * length, 0, length);
      pending[row] = 0;
    }
    __builtin_memset(waiting, 0, replicas * waiting_words * sizeof *waiting);
  }
};

/// One of its rows.
template <class Arch>
struct DisclosureRow {
  using W = Words<Arch>;

  [[gnu::always_inline]] DisclosureRow(const DisclosuresOfReplica& of, std::size_t row)
      : counts(of.counts + row * of.length), wrap(of.length - 1) {}

  /// One more in that round, or none; `added` then says how many there were.
  [[gnu::always_inline]] void add(std::uint64_t round, unsigned one = 1) const {
    counts[round & wrap] = static_cast<std::uint8_t>(counts[round & wrap] + one);
  }
  /// How many there are in rounds after + 1 … last.
  [[gnu::always_inline]] std::uint32_t count(std::uint64_t after, std::uint64_t last) const { return sum<false>(after, last); }
  /// The same; they are gone then.
  [[gnu::always_inline]] std::uint32_t take(std::uint64_t after, std::uint64_t last) const { return sum<true>(after, last); }
  /// The first of rounds after + 1 … last that discloses something; last + 1 if none does.
  [[gnu::always_inline]] std::uint64_t next(std::uint64_t after, std::uint64_t last) const {
    const std::uint64_t first = after + 1;
    for (std::uint64_t begin = first / kBlock * kBlock; begin <= last; begin += kBlock) {
      std::uint64_t found = occupied_in(counts + (begin & wrap));
      if (begin < first) found &= ~std::uint64_t{0} << (first - begin);
      if (begin + kBlock - 1 > last) found &= ~std::uint64_t{0} >> (kBlock - 1 - (last - begin));
      if (found != 0) return begin + static_cast<unsigned>(__builtin_ctzll(found));
    }
    return last + 1;
  }

 private:
  template <bool gone>
  [[gnu::always_inline]] std::uint32_t sum(std::uint64_t after, std::uint64_t last) const {
    W sums(std::uint64_t{0});
    const std::uint64_t first = after + 1, none = 0;
    for (std::uint64_t begin = first / kBlock * kBlock; begin <= last; begin += kBlock) {
      std::uint8_t* const block = counts + (begin & wrap);
      if (begin >= first && begin + kBlock - 1 <= last) {
        for (std::size_t i = 0; i < kBlock; i += sizeof(W)) {
          sums = sums + sums_of_bytes<Arch>(load(block + i));
          if constexpr (gone) W(none).store_aligned(reinterpret_cast<std::uint64_t*>(block + i));
        }
      } else {  // bytes from first on and up to last, by windows of a row of zeros followed by ones and zeros again
        const std::uint8_t* const from = kEdge + kBlock - (begin < first ? first - begin : 0);
        const std::uint8_t* const to = kEdge + 2 * kBlock - (begin + kBlock - 1 <= last ? kBlock : last - begin + 1);
        for (std::size_t i = 0; i < kBlock; i += sizeof(W)) {
          const W all = load(block + i), in = all & load_unaligned(from + i) & load_unaligned(to + i);
          sums = sums + sums_of_bytes<Arch>(in);
          if constexpr (gone) (all ^ in).store_aligned(reinterpret_cast<std::uint64_t*>(block + i));
        }
      }
    }
    return static_cast<std::uint32_t>(xsimd::hadd(sums));
  }

  static constexpr std::uint64_t kBlock = Disclosures::kBlock;
  /// 64 zeros, 64 ones, 64 zeros: `from` is a window whose zeros come first, `to` one whose zeros come last.
  alignas(64) static constexpr std::uint8_t kEdge[3 * kBlock] = {
#define DBANDIT_16(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
      DBANDIT_16(0),    DBANDIT_16(0), DBANDIT_16(0), DBANDIT_16(0), DBANDIT_16(0xFF), DBANDIT_16(0xFF), DBANDIT_16(0xFF),
      DBANDIT_16(0xFF), DBANDIT_16(0), DBANDIT_16(0), DBANDIT_16(0), DBANDIT_16(0)
#undef DBANDIT_16
  };

  [[gnu::always_inline]] static W load(const std::uint8_t* from) { return W::load_aligned(reinterpret_cast<const std::uint64_t*>(from)); }
  [[gnu::always_inline]] static W load_unaligned(const std::uint8_t* from) {
    return W::load_unaligned(reinterpret_cast<const std::uint64_t*>(from));
  }
  /// Which bytes of a block are not 0.
  [[gnu::always_inline]] static std::uint64_t occupied_in(const std::uint8_t* block) {
    std::uint64_t occupied = 0;
    for (std::size_t i = 0; i < kBlock; i += sizeof(W)) {
      occupied |= nonzero_bytes<Arch>(load(block + i)) << i;
    }
    return occupied;
  }

  std::uint8_t* counts;
  std::uint64_t wrap;
};

/// Of a row that may be empty.
template <class Arch>
[[gnu::always_inline]] inline std::uint32_t take(const DisclosuresOfReplica& of, std::size_t row, std::uint64_t after, std::uint64_t last) {
  if (of.pending[row] == 0) return 0;
  const std::uint32_t taken = DisclosureRow<Arch>(of, row).take(after, last), left = of.pending[row] - taken;
  of.pending[row] = left;
  of.waiting[row / 64] &= ~(std::uint64_t{left == 0} << row % 64);
  return taken;
}

}  // namespace dbandit::kernel
