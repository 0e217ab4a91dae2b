#pragma once

#include "kernel/books.hpp"
#include "kernel/philox.hpp"
#include "rng/draws.hpp"

/// The arm of largest fraction, for all lanes: a/b > c/d iff ad > cb, so no division and no root per arm and round. And ties.
namespace dbandit::kernel {

/// Lanes whose best arms the vectors could not separate, and what decides a tie.
struct Ties {
  bool lowest = false;                 ///< the lowest arm wins, not the largest key
  bool keys_are_drawn = false;         ///< for this round
  std::uint32_t* undecided = nullptr;  ///< [count] lanes, rising
  std::size_t count = 0;
  std::uint32_t* keys = nullptr;  ///< [arm][lane]
  std::uint64_t decisions = 0;    ///< lanes and rounds decided by index, for the benchmarks
  std::uint64_t resolved = 0;     ///< of these, left to the exact indices

  void declare(Rows& rows, const Books& books) {
    rows(undecided, books.lanes);
    rows(keys, books.cells());
  }
};

/// Chooses by fractions. `margin` is the relative error that they may have: where the leading ones are closer than that the lane is left
/// to the exact indices, so the decision is always theirs. `may_be_zero`: a denominator can be 0 (laws with τ_0 = 0).
/// `lead` says for which vectors the last choice is still certain (lead.hpp), and is told of this one.
/// `again` gives the numerators of a vector that has been looked at: those, unless they are dear.
/// All by value, so that no store below can change them and they may stay in registers.
template <class Arch, bool clamped, bool may_be_zero, class Numerator, class Under, class Lead, class Again>
[[gnu::noinline]] void choose_largest(const Books& books, Ties& ties, double margin, Numerator numerator, Under denominator, Lead lead,
                                      Again again) {
  using D = Doubles<Arch>;
  constexpr std::size_t kWidth = D::size;
  const D tolerance(margin);
  double* const action = books.action;
  std::uint32_t* const list = ties.undecided;
  const std::size_t lanes = books.lanes, cells = books.cells();
  std::size_t undecided = 0;
  for (std::size_t lane = 0; lane < lanes; lane += kWidth) {
    if constexpr (Lead::kept) {
      if (lead.holds(lane / kWidth)) continue;
    }
    D best_below = denominator(lane);
    D best_above = numerator(lane);
    if constexpr (clamped) best_above = xsimd::min(best_above, best_below);
    D choice(0.0), arm(0.0);
    Mask<Arch> close(false), unknown(false);
    if constexpr (may_be_zero) unknown = best_below <= D(0.0);
    for (std::size_t cell = lane + lanes; cell < cells; cell += lanes) {
      const D below = denominator(cell);
      D above = numerator(cell);
      if constexpr (clamped) above = xsimd::min(above, below);
      arm = arm + D(1.0);
      const D challenger = above * best_below, champion = best_above * below;
      const auto better = challenger > champion;
      // An arm that is clear of the best before it is clear of all of them: that they were close to each other does not matter then.
      const D lead_of_it = challenger - champion, doubt = tolerance * champion;
      close = (close & (lead_of_it <= doubt)) | (xsimd::abs(lead_of_it) <= doubt);
      if constexpr (may_be_zero) unknown = unknown | (below <= D(0.0));
      best_above = xsimd::select(better, above, best_above);
      best_below = xsimd::select(better, below, best_below);
      choice = xsimd::select(better, arm, choice);
    }
    choice.store_aligned(action + lane);
    unsigned found = bits<Arch>(close | unknown);
    if constexpr (Lead::kept) {
      if (found == 0) lead.extend(lane, lanes, cells, choice, best_above, best_below, again, denominator);
    }
    for (; found != 0; found &= found - 1) {
      list[undecided++] = static_cast<std::uint32_t>(lane + static_cast<unsigned>(__builtin_ctz(found)));
    }
  }
  ties.count = undecided;
  ties.decisions += lanes;
  ties.resolved += undecided;
}

template <class Arch, bool clamped, bool may_be_zero, class Numerator, class Under, class Lead>
[[gnu::always_inline]] inline void choose_largest(const Books& books, Ties& ties, double margin, Numerator numerator, Under denominator,
                                                  Lead lead) {
  choose_largest<Arch, clamped, may_be_zero>(books, ties, margin, numerator, denominator, lead, numerator);
}

/// A 32-bit key for every lane: four neighbouring replicas share a call of the stream, at index `arm`.
template <class Arch>
inline void draw_keys(const Books& books, rng::Stream stream, std::size_t arm, std::int64_t round, std::uint32_t* keys) {
  constexpr std::size_t kWidth = Words<Arch>::size, kAbreast = 2;
  const std::size_t groups = books.lanes / 4;
  for (std::size_t group = 0; group < groups; group += kAbreast * kWidth) {
    Words<Arch> low[kAbreast], high[kAbreast];
    philox_from<Arch>(books.seed, stream, arm, books.first / 4 + group, static_cast<std::uint64_t>(round), low, high);
    alignas(64) std::uint64_t words[2][kAbreast * kWidth];
    for (std::size_t i = 0; i < kAbreast; ++i) low[i].store_aligned(words[0] + i * kWidth), high[i].store_aligned(words[1] + i * kWidth);
    const std::size_t left = groups - group, count = left < kAbreast * kWidth ? left : kAbreast * kWidth;
    std::uint32_t* to = keys + group * 4;
    for (std::size_t i = 0; i < count; ++i, to += 4) {
      __builtin_memcpy(to, &words[0][i], 8);
      __builtin_memcpy(to + 2, &words[1][i], 8);
    }
  }
}

/// The keys by which ties are broken, for every arm and lane: drawn a vector at a time when many lanes need them.
template <class Arch>
inline void draw_tie_keys(const Books& books, Ties& ties, std::int64_t round) {
  for (std::size_t arm = 0; arm < books.arms; ++arm) draw_keys<Arch>(books, rng::Stream::tie, arm, round, ties.keys + arm * books.lanes);
}

/// Settles by the drawn keys every lane in which the tied arms are known for certain: `certain` says which arms have the largest index
/// there is, `possible` which may have it. The rest stays undecided. (A lane that was decided is settled to the same arm again: its
/// winner is its only certain arm.)
template <class Arch, class Certain, class Possible>
inline void settle_by_keys(const Books& books, Ties& ties, Certain certain, Possible possible) {
  using D = Doubles<Arch>;
  const std::size_t cells = books.cells(), listed = ties.count;
  std::size_t next = 0, kept = 0;
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    D best(-1e10), choice(0.0), arm(0.0);
    Mask<Arch> doubtful(false);
    for (std::size_t cell = lane; cell < cells; cell += books.lanes) {
      const auto in = certain(cell);
      const D key = xsimd::select(in, load_keys<Arch>(ties.keys + cell), D(-1e10));
      const auto better = key > best;
      best = xsimd::select(better, key, best);
      choice = xsimd::select(better, arm, choice);
      doubtful = doubtful | (possible(cell) & !in);
      arm = arm + D(1.0);
    }
    const auto settled = (best > D(-1e10)) & !doubtful;
    xsimd::select(settled, choice, D::load_aligned(books.action + lane)).store_aligned(books.action + lane);
    const unsigned done = bits<Arch>(settled);
    for (; next < listed && ties.undecided[next] < lane + D::size; ++next) {
      ties.undecided[kept] = ties.undecided[next];
      kept += (done >> (ties.undecided[next] - lane) & 1) == 0;
    }
  }
  ties.count = kept;
}

/// Settles the undecided lanes by the exact comparison of a family.
template <class Arch, class Family, class Exposure>
inline void settle_exactly(const Family& family, const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) {
  for (std::size_t i = 0; i < ties.count; ++i) {
    const std::size_t lane = ties.undecided[i];
    books.action[lane] = static_cast<double>(static_cast<std::int64_t>(family.resolve(books, exposure, ties, round, lane)));
  }
  ties.count = 0;
}

}  // namespace dbandit::kernel
