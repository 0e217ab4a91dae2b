#pragma once

#include "kernel/books.hpp"
#include "kernel/lanes.hpp"

/// The exposure by an empirical CDF of delays (appendix D, censored). With n observed delays D_j the plug-in exposure is
/// Ñ_k = (1/n) Σ_j N_k(t − D_j): an integer, the matches of arm k, over n.
namespace dbandit::kernel {

/// Matches, in exact integers, without a walk over the ages of the window. A round adds to the matches of arm k the observations whose pull
/// of that age was of arm k: Σ over the stretches of k, runs of rounds that played it, of δ(age of its first pull) − δ(age of its last − 1)
/// with δ(d) observed delays ≤ d. These sums are made for the rounds of a block at once, a vector of rounds at a time, as if the last arm
/// were played on and nothing more were observed; a change of arm and an observation, which are rare, correct what is left of the block.
/// So a round costs K additions, a block as many vectors as the window has stretches. Numbers of the block wrap around in the
/// narrowest integer that holds n; what they sum to does not.
struct Matches {
  static constexpr std::size_t kBlock = 32;
  struct Stretch {
    std::uint32_t first;  ///< round, modulo 2^32: only ages matter, and none is as long as that
    std::uint32_t arm;
  };

  bool narrow = true;              ///< 16 bits hold every observation: horizon < 65536
  std::size_t window = 0;          ///< m
  std::int64_t block_first = 0;    ///< first round of the block; 0: none yet
  double* sums = nullptr;          ///< [cell] Σ_j N_k(t − D_j)
  double* latest = nullptr;        ///< [lane] the arm of the newest stretch; −1: none
  std::uint32_t* count = nullptr;  ///< [lane] stretches, oldest first; what is older than the oldest needs no place: δ = n there
  Stretch* stretches = nullptr;    ///< [lane][most]
  void* at_most = nullptr;         ///< [lane][stride] δ, from −kBlock (zeros) to m + kBlock (n)
  void* growth = nullptr;          ///< [lane][arm][kBlock] what each round of the block adds to the matches

  /// Stretches that begin within the window at the beginning of a block, one before them, and one for every round of it.
  [[nodiscard, gnu::always_inline]] std::size_t most() const { return window + kBlock + 1; }
  [[nodiscard, gnu::always_inline]] std::size_t stride() const { return (window + 3 * kBlock) / kBlock * kBlock; }

  void size(const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Books& books);
};

/// The steps of a round. Count is the narrow or the wide integer.
template <class Arch, class Count>
struct MatchesOf {
  using Counts = xsimd::batch<Count, Arch>;
  static constexpr std::size_t kVectors = Matches::kBlock / Counts::size;
  static constexpr std::int64_t kBlock = Matches::kBlock;

  MatchesOf(Matches& of, const Books& its_books, const double* observations, std::int64_t now)
      : s(of), books(its_books), observed(observations), round(now) {}

  /// δ by age.
  Count* at_most(std::size_t lane) const { return static_cast<Count*>(s.at_most) + lane * s.stride() + Matches::kBlock; }
  Count* growth(std::size_t lane, std::size_t arm) const {
    return static_cast<Count*>(s.growth) + (lane * books.arms + arm) * Matches::kBlock;
  }
  Matches::Stretch* stretches(std::size_t lane) const { return s.stretches + lane * s.most(); }
  std::int64_t age(const Matches::Stretch& stretch) const { return static_cast<std::uint32_t>(round) - stretch.first; }

  /// One round older, and one more pull, before the round's observations.
  void grow() const {
    if (s.block_first == 0 || round >= s.block_first + kBlock) begin_block();
    change_arms();
    const std::size_t at = static_cast<std::size_t>(round - s.block_first);
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      const Count* grown = growth(lane, 0) + at;
      for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes, grown += kBlock) s.sums[cell] += static_cast<double>(*grown);
    }
  }

  /// A new delay D: it matches every pull at least D rounds old, N_k(t − D) of them, and from now on one more pull a round.
  void observe(std::size_t lane, std::uint32_t delay) const {
    assert(delay <= s.window);
    Count* const counts = at_most(lane);
    const std::size_t end = s.stride() - Matches::kBlock;
    for (std::size_t d = delay; d < end; ++d) counts[d] = static_cast<Count>(counts[d] + 1);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) s.sums[cell] += books.pulls[cell];
    // Rounds D and more ago are matched: of those since, N_k counts too many. And the rounds left of the block will match one pull each,
    // that D rounds before them; an age below 0 is a pull to come, by the latest arm.
    const std::int64_t at = round - s.block_first, d = delay;
    std::int64_t unmatched = 0, to_match = d + at - (kBlock - 1);
    for (std::size_t i = s.count[lane]; i-- > 0 && (unmatched < d || to_match < d);) {
      const Matches::Stretch& stretch = stretches(lane)[i];
      const std::int64_t oldest = i == 0 || age(stretch) >= d ? d - 1 : age(stretch);
      s.sums[stretch.arm * books.lanes + lane] -= static_cast<double>(oldest + 1 - unmatched);
      unmatched = oldest + 1;
      Count* const grown = growth(lane, stretch.arm) + at + d;
      for (; to_match <= oldest; ++to_match) grown[-to_match] = static_cast<Count>(grown[-to_match] + 1);
    }
  }

 private:
  /// What the rounds from now on add, by the stretches there are.
  void begin_block() const {
    s.block_first = round;
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      Count* const grown = growth(lane, 0);
      const Counts none(Count{0});
      for (std::size_t i = 0; i < books.arms * Matches::kBlock; i += Counts::size) none.store_aligned(grown + i);
      forget(lane);
      const Matches::Stretch* const list = stretches(lane);
      if (s.count[lane] == 0) continue;
      // One arm, the most pulled, matches what the others do not: its stretches, half of them all as a rule, need no look.
      std::size_t most = 0;
      for (std::size_t arm = 1; arm < books.arms; ++arm) {
        if (books.pulls[arm * books.lanes + lane] > books.pulls[most * books.lanes + lane]) most = arm;
      }
      const Counts all(static_cast<Count>(observed[lane]));
      Counts rest[kVectors];
      for (Counts& of_most : rest) of_most = all;
      for (std::size_t i = 0; i < s.count[lane]; ++i) {
        if (list[i].arm == most) continue;
        Count* const of_arm = growth(lane, list[i].arm);
        const Count* const first = at_most(lane) + age(list[i]);
        const Count* const next = i + 1 < s.count[lane] ? at_most(lane) + age(list[i + 1]) : at_most(lane) - kBlock;
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Counts upper = i == 0 ? all : Counts::load_unaligned(first + v * Counts::size);
          const Counts matched = upper - Counts::load_unaligned(next + v * Counts::size);
          (Counts::load_aligned(of_arm + v * Counts::size) + matched).store_aligned(of_arm + v * Counts::size);
          rest[v] = rest[v] - matched;
        }
      }
      for (std::size_t v = 0; v < kVectors; ++v) rest[v].store_aligned(growth(lane, most) + v * Counts::size);
    }
  }

  /// Drops the stretches that ended before the window.
  void forget(std::size_t lane) const {
    Matches::Stretch* const list = stretches(lane);
    std::uint32_t& count = s.count[lane];
    std::size_t gone = 0;
    while (gone + 1 < count && age(list[gone + 1]) >= static_cast<std::int64_t>(s.window)) ++gone;
    if (gone == 0) return;
    count -= static_cast<std::uint32_t>(gone);
    for (std::size_t i = 0; i < count; ++i) list[i] = list[i + gone];
  }

  /// Lanes that play another arm than before.
  void change_arms() const {
    using D = Doubles<Arch>;
    for (std::size_t group = 0; group < books.lanes; group += D::size) {
      const D arms = D::load_aligned(books.action + group), before = D::load_aligned(s.latest + group);
      const unsigned same = bits<Arch>(arms == before), all = (1u << D::size) - 1;
      if (same == all) continue;
      arms.store_aligned(s.latest + group);
      alignas(64) double old[D::size];
      before.store_aligned(old);
      for (unsigned changed = all & ~same; changed != 0; changed &= changed - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctz(changed));
        change_arm(group + i, old[i]);
      }
    }
  }

  /// From this round on the new arm is pulled and not the old one: δ of the ages that the new stretch will have in the block.
  void change_arm(std::size_t lane, double old) const {
    const std::size_t arm = books.arm(lane);
    assert(s.count[lane] < s.most());
    stretches(lane)[s.count[lane]++] = {static_cast<std::uint32_t>(round), static_cast<std::uint32_t>(arm)};
    if (old < 0) return;  // nothing is observed yet
    const Count* const ages = at_most(lane) - (round - s.block_first);
    Count *const gains = growth(lane, arm), *const loses = growth(lane, arm_of(old));
    for (std::size_t i = 0; i < Matches::kBlock; i += Counts::size) {
      const Counts moved = Counts::load_unaligned(ages + i);
      (Counts::load_aligned(gains + i) + moved).store_aligned(gains + i);
      (Counts::load_aligned(loses + i) - moved).store_aligned(loses + i);
    }
  }

  Matches& s;
  const Books& books;
  const double* observed;
  std::int64_t round;
};

}  // namespace dbandit::kernel
