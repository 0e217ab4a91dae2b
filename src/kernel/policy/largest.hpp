#pragma once

#include "kernel/books.hpp"
#include "kernel/philox.hpp"
#include "rng/draws.hpp"

/// The arm of largest fraction, for all lanes: a/b > c/d iff ad > cb, so no division and no root per arm and round. And ties.
namespace dbandit::kernel {

/// Lanes whose best arms the vectors could not separate, and what decides a tie.
struct Ties {
  bool lowest = false;                 ///< the lowest arm wins, not the largest key
  std::int64_t round = 0;              ///< that is decided
  bool keys_are_drawn = false;         ///< for this round
  std::uint32_t* undecided = nullptr;  ///< [count] lanes, rising
  std::size_t count = 0;
  std::size_t cells = 0;          ///< arms and lanes that tied in the last round that had ties
  std::size_t settled = 0;        ///< of this round's, those whose tie was settled while the arms were chosen
  std::uint32_t* keys = nullptr;  ///< [arm][lane]
  std::uint64_t decisions = 0;    ///< lanes and rounds decided by index, for the benchmarks
  std::uint64_t resolved = 0;     ///< of these, left to the exact indices

  /// A key that is drawn by itself takes as long as eight that are drawn with all others.
  [[nodiscard, gnu::always_inline]] bool are_many(const Books& books) const { return cells * 8 > books.cells(); }

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

/// A 32-bit key for every arm and lane, [arm][stride]: four neighbouring replicas share a call of the stream, whose index is `index` + the
/// arm. Where lanes are few, the calls of several arms fill the vectors.
template <class Arch>
inline void draw_keys(const Books& books, rng::Stream stream, std::uint64_t index, std::int64_t round, std::uint32_t* keys,
                      std::size_t stride) {
  using W = Words<Arch>;
  constexpr std::size_t kWidth = W::size, kAbreast = 2, kTogether = kAbreast * kWidth;
  const std::size_t groups = books.lanes / 4, of_an_arm = groups < kTogether ? groups : kTogether, arms = kTogether / of_an_arm;
  alignas(64) std::uint64_t arm_of_call[kTogether], group_of_call[kTogether], words[2][kTogether];
  for (std::size_t i = 0; i < kTogether; ++i) arm_of_call[i] = i / of_an_arm, group_of_call[i] = books.first / 4 + i % of_an_arm;
  for (std::size_t arm = 0; arm < books.arms; arm += arms) {
    for (std::size_t group = 0; group < groups; group += of_an_arm) {
      W streams[kAbreast], replicas[kAbreast], rounds[kAbreast], low[kAbreast], high[kAbreast];
      for (std::size_t i = 0; i < kAbreast; ++i) {
        streams[i] = ((W::load_aligned(arm_of_call + i * kWidth) + W(index + arm)) << 8) | W(static_cast<std::uint64_t>(stream));
        replicas[i] = W::load_aligned(group_of_call + i * kWidth) + W(group);
        rounds[i] = W(static_cast<std::uint64_t>(round));
      }
      philox<Arch>(books.seed, streams, replicas, rounds, low, high);
      for (std::size_t i = 0; i < kAbreast; ++i) low[i].store_aligned(words[0] + i * kWidth), high[i].store_aligned(words[1] + i * kWidth);
      const std::size_t count = groups - group < of_an_arm ? groups - group : of_an_arm;
      for (std::size_t of = 0; of < arms && arm + of < books.arms; ++of) {
        std::uint32_t* to = keys + (arm + of) * stride + group * 4;
        for (std::size_t i = of * of_an_arm; i < of * of_an_arm + count; ++i, to += 4) {
          __builtin_memcpy(to, &words[0][i], 8);
          __builtin_memcpy(to + 2, &words[1][i], 8);
        }
      }
    }
  }
}

/// The keys of the arms that tie, as numbers in their order. Where many lanes need some all are drawn, a vector at a time; else these
/// alone.
template <class Arch, class In>
[[gnu::always_inline]] inline Doubles<Arch> tie_keys(const Books& books, const Ties& ties, std::size_t arm, std::size_t lane,
                                                     const In& in) {
  using D = Doubles<Arch>;
  if (ties.keys_are_drawn) return load_keys<Arch>(ties.keys + arm * books.lanes + lane);
  alignas(64) double keys[D::size] = {};
  for (unsigned tied = bits<Arch>(in); tied != 0; tied &= tied - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(tied));
    const std::uint32_t key = rng::tie_key(books.seed, books.first + lane + i, static_cast<std::uint64_t>(ties.round), arm);
    keys[i] = static_cast<double>(key) - 0x1p31;
  }
  return D::load_aligned(keys);
}

/// Settles by their keys the lanes in which the tied arms are known for certain; the rest stays undecided. (Of a vector with an undecided
/// lane, one that was decided is settled to the same arm again: its winner is its only certain arm.) `look(lane)`, for the vector that
/// begins there, says of a cell whether its arm has the largest index there is but for the width of a tie, and whether it may have it.
template <class Arch, class Look>
inline void settle_by_keys(const Books& books, Ties& ties, Look look) {
  using D = Doubles<Arch>;
  const std::size_t listed = ties.count;
  std::size_t next = 0, kept = 0, tied_cells = 0;
  while (next < listed) {
    const std::size_t lane = ties.undecided[next] / D::size * D::size;
    const auto tied = look(lane);
    D best(-1e10), choice(0.0);
    Mask<Arch> doubtful(false);
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      Mask<Arch> in, may_be_in;
      tied(cell, in, may_be_in);
      doubtful = doubtful | (may_be_in & !in);
      const unsigned found = bits<Arch>(in);
      if (found == 0) continue;
      tied_cells += static_cast<unsigned>(__builtin_popcount(found));
      const D key = xsimd::select(in, tie_keys<Arch>(books, ties, arm, lane, in), D(-1e10));
      const auto better = key > best;
      best = xsimd::select(better, key, best);
      choice = xsimd::select(better, D(static_cast<double>(arm)), choice);
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
  ties.cells = ties.settled + tied_cells;
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
