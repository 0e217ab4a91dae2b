#pragma once

#include "kernel/policy/poisson.hpp"
#include "kernel/policy/sampling.hpp"

/// A base policy behind queues, lane by lane (what it is: reference/queue.hpp). The base is asked only when it was fed, and not then while
/// its last wish is certain: only the arm that it wishes is fed, so the certificate of lead.hpp holds with the base's clock for the round
/// and what it was fed for the exposure, whatever the items are. Until then what the wished queue has to offer may wait there: it is fed
/// all at once when there is enough of it to make the wish uncertain, and a round only counts what joins. The lanes that must ask are
/// listed and asked a vector of them at a time.
namespace dbandit::kernel {

struct Queues : Family {
  static constexpr bool hears_conversions = true;
  static constexpr std::size_t kWidest = 8;    ///< doubles of the widest vector
  static constexpr std::int64_t kLater = 128;  ///< items of a wished queue that may wait to be fed
  /// Of a numerator, relatively, with much room for a tie.
  static constexpr double kEstimate = 2 * kPolynomialError;

  bool naive = false;          ///< only ones are queued, and their number is enough
  bool has_heuristic = false;  ///< Thompson sampling plays while the queue has nothing to offer
  Sampling heuristic;
  bool is_ucb = false;  ///< the base: UCB or Poisson KL-UCB
  bool clamped = false;
  double epsilon = 0;
  double* fed = nullptr;              ///< what a base was fed
  double* fed_conversions = nullptr;  ///< and how many ones
  std::uint64_t* queued = nullptr;    ///< [cell][words] rings of bits; those that wait for nothing are 0
  std::size_t words = 0;              ///< no queue is longer than they have bits: the window, and kLater
  std::uint32_t* head = nullptr;      ///< [cell]
  double* waiting = nullptr;          ///< [cell] how many
  double* room = nullptr;             ///< [lane] how many more may join the wished queue before it must be fed
  Ring pulled;                        ///< of the window: the arm, or the number of arms if the pull converts within it
  std::uint32_t* converts = nullptr;  ///< [converting] lanes whose last pull does
  std::size_t converting = 0;
  std::int64_t* steps = nullptr;    ///< [lane] the base's clock: how much it was fed in all
  std::int64_t* certain = nullptr;  ///< [lane] up to which of them its wish stays
  double* wish = nullptr;           ///< [lane] the base's wish, as a real like the action that it becomes
  std::uint32_t* asked = nullptr;   ///< scratch: lanes whose wish is uncertain
  double* numerator = nullptr;      ///< [arm] scratch: of the exact indices that the base compares
  double* estimates = nullptr;      ///< [arm][vector] scratch: numerators of the lanes that ask, within kEstimate,
  double* pulls_fed = nullptr;      ///< what their bases were fed
  double* ones_fed = nullptr;       ///< and how many ones

  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return model::queues(experiment.rule.statistic); }
  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) {
    if (!naive && round > 1) join<Arch>(books, round - 1);
    if (has_heuristic) {
      heuristic.choose<Arch>(books, exposure, ties, round);
      settle_exactly<Arch>(heuristic, books, exposure, ties, round);
    }
    ask_base<Arch>(books, ties);
  }
  /// A conversion joins its queue.
  void converted(const Books& books, std::size_t arm, std::size_t lane) const;
  /// Notes what the pulls of this round will come to.
  void observe(const Books& books, const World& world, std::int64_t round);

 private:
  /// After a round: the pulls whose window has ended in silence join their queues, and the round's own begin theirs.
  template <class Arch>
  void join(const Books& books, std::int64_t round) const;
  /// The base's wish for every lane; where the heuristic has chosen before, it is overruled only when it must be.
  template <class Arch>
  void ask_base(const Books& books, const Ties& ties) const;
  /// The wish is played where the heuristic's favourite has a window of pulls that the base was not fed. (What waits of the wished arm
  /// counts as not fed: it is the wish that is played, either way.)
  template <class Arch>
  void overrule(const Books& books) const;
  /// Feeds the base of a lane from the queue of its wish, for as long as that is certain. True: it must be asked for another.
  template <class Arch>
  bool offer(const Books& books, std::size_t lane) const;
  /// Takes the first `count` of a queue; how many ones they are.
  template <class Arch>
  std::uint32_t take(std::size_t cell, std::uint32_t count) const;
  /// The wishes of a vector of lanes of `asked`, and for how long they are certain.
  template <class Arch>
  void look(const Books& books, const Ties& ties, const std::uint32_t* lanes, std::size_t count) const;
  [[nodiscard]] std::size_t exact_winner(const Books& books, const Ties& ties, std::size_t lane, const double* estimate,
                                         std::size_t stride) const;
};

template <class Arch>
inline void Queues::join(const Books& books, std::int64_t round) const {
  using D = Doubles<Arch>;
  const bool ending = round > books.window;
  const std::size_t lanes = books.lanes, arms = books.arms;
  pulled.with_type([&]<class ArmId>(ArmId) {
    ArmId* const slot = pulled.slot<ArmId>(round, lanes);
    if constexpr (sizeof(ArmId) == 1) {
      if (arms <= kFewArms) {
        for (std::size_t lane = 0; lane < lanes; lane += D::size) {
          const D old = load_arms<Arch>(slot + lane);
          store_arms<Arch>(D::load_aligned(books.action + lane), slot + lane);
          if (!ending) continue;
          for (std::size_t arm = 0, cell = lane; arm < arms; ++arm, cell += lanes) {
            (D::load_aligned(waiting + cell) + where<Arch>(old == D(static_cast<double>(arm)), D(1.0))).store_aligned(waiting + cell);
          }
          (D::load_aligned(room + lane) - where<Arch>(old == D::load_aligned(wish + lane), D(1.0))).store_aligned(room + lane);
        }
        for (std::size_t i = 0; i < converting; ++i) slot[converts[i]] = static_cast<ArmId>(arms);
        return;
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto old = static_cast<std::size_t>(static_cast<std::int64_t>(slot[lane]));
      slot[lane] = static_cast<ArmId>(books.arm(lane));
      if (!ending || old == arms) continue;
      waiting[old * lanes + lane] += 1;
      room[lane] -= old == arm_of(wish[lane]);
    }
    for (std::size_t i = 0; i < converting; ++i) slot[converts[i]] = static_cast<ArmId>(arms);
  });
}

/// 64 at a time, which is all of them as a rule: how many there are nobody can foresee, so without a branch.
template <class Arch>
[[gnu::always_inline]] inline std::uint32_t Queues::take(std::size_t cell, std::uint32_t count) const {
  std::uint32_t at = head[cell], ones = 0;
  std::uint64_t* const bits_of = queued + cell * words;
  const auto length = static_cast<std::uint32_t>(64 * words);
  for (;;) {
    const std::uint32_t here = count < 64 ? count : 64, place = at % 64, first = at / 64, second = first + 1 == words ? 0 : first + 1;
    const std::uint64_t both = bits_of[first] >> place | bits_of[second] << 1 << (63 - place);
    const std::uint64_t taken = here == 0 ? 0 : both & (~std::uint64_t{0} >> ((64 - here) % 64));
    bits_of[first] ^= taken << place;
    bits_of[second] ^= taken >> 1 >> (63 - place);
    ones += static_cast<std::uint32_t>(__builtin_popcountll(taken));
    at += here;
    if (at >= length) at -= length;
    count -= here;
    if (count == 0) break;
  }
  head[cell] = at;
  return ones;
}

template <class Arch>
[[gnu::always_inline]] inline bool Queues::offer(const Books& books, std::size_t lane) const {
  const std::size_t cell = arm_of(wish[lane]) * books.lanes + lane;
  const std::int64_t offered = static_cast<std::int64_t>(waiting[cell]), most = certain[lane] - steps[lane] + 1;
  const std::int64_t count = offered < most ? offered : most, later = most - count;
  assert(count >= 0);
  waiting[cell] -= static_cast<double>(count);
  fed[cell] += static_cast<double>(count);
  steps[lane] += count;
  fed_conversions[cell] += static_cast<double>(naive ? count : std::int64_t{take<Arch>(cell, static_cast<std::uint32_t>(count))});
  room[lane] = static_cast<double>(later < kLater ? later : kLater);
  return later == 0;
}

/// ln x, x ≥ 1, within 2e-11: x = 2^k m with m within [√½, √2), and ln m = 2 atanh s, s = (m − 1)/(m + 1), by six terms.
template <class Arch>
[[gnu::always_inline]] inline Doubles<Arch> log_estimate(const Doubles<Arch>& x) {
  using D = Doubles<Arch>;
  using W = Words<Arch>;
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDULL;
  const W bits_of = xsimd::bitwise_cast<W>(x), k = (bits_of - W(kRootHalf)) >> 52;
  const D m = xsimd::bitwise_cast<D>(bits_of - (k << 52)), exponent = xsimd::bitwise_cast<D>(k | W(0x4330000000000000ULL)) - D(0x1p52);
  const D s = (m - D(1.0)) / (m + D(1.0)), z = s * s, zz = z * z;
  const D high = D(2.0 / 7) + z * D(2.0 / 9) + zz * D(2.0 / 11), low = D(2.0) + z * D(2.0 / 3) + zz * D(2.0 / 5);
  return exponent * D(0.6931471805599453) + s * (low + (zz * z) * high);
}

template <class Arch>
[[gnu::noinline]] void Queues::look(const Books& books, const Ties& ties, const std::uint32_t* lanes, std::size_t count) const {
  using D = Doubles<Arch>;
  static_assert(D::size <= kWidest);
  constexpr double kMargin = 4 * kEstimate;
  const std::size_t arms = books.arms;
  alignas(64) double next_step[D::size], each[2][D::size];
  for (std::size_t i = 0; i < D::size; ++i) {
    const std::size_t lane = lanes[i < count ? i : 0];
    next_step[i] = static_cast<double>(steps[lane] + 1);
    for (std::size_t arm = 0, cell = lane, to = i; arm < arms; ++arm, cell += books.lanes, to += D::size) {
      pulls_fed[to] = fed[cell], ones_fed[to] = fed_conversions[cell];
    }
  }
  const D step = D::load_aligned(next_step), beta = D(1 + epsilon) * log_estimate<Arch>(step), root_beta = xsimd::sqrt(beta), one(1.0);
  D best_above(-1.0), best_below(1.0), choice(0.0);
  Mask<Arch> close(false);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    const D below = D::load_aligned(pulls_fed + arm * D::size), ones = D::load_aligned(ones_fed + arm * D::size);
    D above;
    if (is_ucb) {
      above = ones + xsimd::sqrt(below * D(0.5)) * root_beta;
    } else {
      const auto none = ones == D(0.0);
      const D some = xsimd::select(none, one, ones);
      above = xsimd::select(none, beta, some + some * excess_polynomial<Arch>(beta / some));
    }
    above.store_aligned(estimates + arm * D::size);
    if (clamped) above = xsimd::min(above, below);
    const D challenger = above * best_below, champion = best_above * below, doubt = D(4 * kEstimate) * champion;
    const auto better = challenger > champion;
    close = (close & (challenger - champion <= doubt)) | (xsimd::abs(challenger - champion) <= doubt);
    best_above = xsimd::select(better, above, best_above);
    best_below = xsimd::select(better, below, best_below);
    choice = xsimd::select(better, D(static_cast<double>(arm)), choice);
  }
  // lead.hpp: how often the one that is wished can be fed before another could be.
  const D growth = D(1 + epsilon) / step, ahead = best_above * D(1 - kMargin);
  D lead(1e6);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    const D below = D::load_aligned(pulls_fed + arm * D::size), ones = D::load_aligned(ones_fed + arm * D::size);
    const D above = D::load_aligned(estimates + arm * D::size) * D(1 + kMargin);
    // num′: of S + √(N β/2), and of h(S, β) = S x: x/(x − 1)
    const D slope = is_ucb ? (above - ones) / (beta + beta) : above / (above - ones);
    const D c = slope * D(1 + kMargin) * growth, b = above + c * best_below, gap = ahead * below - above * best_below;
    const D until = xsimd::select(gap > D(0.0), gap * b / (b * b + c * gap), D(0.0));
    lead = xsimd::select(choice == D(static_cast<double>(arm)), lead, xsimd::min(lead, until));
  }
  choice.store_aligned(each[0]), (lead * D(1 - kMargin)).store_aligned(each[1]);
  const unsigned undecided = bits<Arch>(close);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t lane = lanes[i];
    certain[lane] = steps[lane];
    if (steps[lane] < static_cast<std::int64_t>(arms)) {
      wish[lane] = books.order[static_cast<std::size_t>(steps[lane]) * books.lanes + lane];
    } else if ((undecided >> i & 1) != 0) {
      wish[lane] = static_cast<double>(static_cast<std::int64_t>(exact_winner(books, ties, lane, estimates + i, D::size)));
    } else {
      wish[lane] = each[0][i];
      certain[lane] += static_cast<std::int64_t>(each[1][i]);
    }
  }
}

template <class Arch>
inline void Queues::ask_base(const Books& books, const Ties& ties) const {
  assert(!ties.keys_are_drawn);  // they would be the round's, not those of the base's clock
  using D = Doubles<Arch>;
  constexpr std::size_t kWidth = D::size;
  std::size_t left = 0;
  for (std::size_t lane = 0; lane < books.lanes; lane += kWidth) {
    for (unsigned found = bits<Arch>(D::load_aligned(room + lane) <= D(0.0)); found != 0; found &= found - 1) {
      asked[left] = static_cast<std::uint32_t>(lane + static_cast<unsigned>(__builtin_ctz(found)));
      left += offer<Arch>(books, asked[left]);
    }
  }
  while (left != 0) {
    for (std::size_t i = 0; i < left; i += kWidth) look<Arch>(books, ties, asked + i, left - i < kWidth ? left - i : kWidth);
    const std::size_t listed = left;
    left = 0;
    for (std::size_t i = 0; i < listed; ++i) {
      const std::uint32_t lane = asked[i];
      asked[left] = lane;
      left += offer<Arch>(books, lane);
    }
  }
  if (has_heuristic) return overrule<Arch>(books);
  for (std::size_t lane = 0; lane < books.lanes; lane += kWidth) D::load_aligned(wish + lane).store_aligned(books.action + lane);
}

template <class Arch>
inline void Queues::overrule(const Books& books) const {
  using D = Doubles<Arch>;
  const auto window = static_cast<double>(books.window);
  if (books.arms > kFewArms) {
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      const std::size_t favourite = books.arm(lane) * books.lanes + lane;
      if (books.pulls[favourite] - fed[favourite] >= window) books.action[lane] = wish[lane];
    }
    return;
  }
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    const D favourite = D::load_aligned(books.action + lane);
    D pending(0.0);
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      const auto is_it = favourite == D(static_cast<double>(arm));
      pending = pending + where<Arch>(is_it, D::load_aligned(books.pulls + cell) - D::load_aligned(fed + cell));
    }
    xsimd::select(pending >= D(window), D::load_aligned(wish + lane), favourite).store_aligned(books.action + lane);
  }
}

}  // namespace dbandit::kernel
