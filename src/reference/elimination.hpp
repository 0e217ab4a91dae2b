#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Policies that play the arms left in turn and drop the bad ones. Both know the horizon and judge by matured pulls only: conversions come
/// early and zeros at the end of the window, so a share of what is *seen* would be biased upwards.
namespace dbandit::reference {

/// What is known of an arm: Z conversions of M matured pulls.
struct Matured {
  std::int64_t conversions = 0, pulls = 0;
  [[nodiscard]] double share() const { return static_cast<double>(conversions) / static_cast<double>(pulls); }
};

/// `etc`: explore-then-commit in batches (Perchet, Rigollet, Chassang, Snowberg 2016). Nothing is learned within a batch; at its end arms
/// are dropped; the last batch is played with the best. Fixed here: K arms instead of two; batches end at max(m, K), then at its doubles
/// (a geometric grid), so none is shorter than the window and all pulls of the batches before count; at the end of a batch that is
/// round e an arm goes if its share plus its radius is below the best lower bound, radius sqrt(ln(KT/e)/(2M)).
///
/// `phased-elimination`: Lancewicki, Segal, Koren, Mansour (ICML 2021), phased successive elimination. In phase ℓ the arms left are played
/// in turn until each has n_ℓ observations; then those whose share is more than 2^−ℓ below the best are dropped. Fixed here: an
/// observation is a matured pull; n_ℓ = ⌈2 · 4^ℓ ln T⌉, for which Hoeffding's bound keeps every share within 2^−ℓ/2 with a chance of
/// 1 − 2/T, and observations of earlier phases count. Both are written from the papers' ideas, not from their text.
class Elimination {
 public:
  Elimination(std::size_t arms, std::int64_t horizon, std::int64_t window)
      : horizon_(horizon), end_(std::max(window, static_cast<std::int64_t>(arms))), left_(arms, true) {}

  /// The arm of round t; to be asked once for every round, in order.
  std::size_t by_batches(std::int64_t t, std::span<const std::size_t> start, std::span<const Matured> arms);
  std::size_t by_phases(std::span<const std::size_t> start, std::span<const Matured> arms);

 private:
  [[nodiscard]] std::size_t best(std::span<const std::size_t> start, std::span<const Matured> arms) const;
  /// The next arm in turn of which `wanted` says so; there is one.
  template <class Wanted>
  std::size_t next(std::span<const std::size_t> start, Wanted wanted);

  std::int64_t horizon_;
  std::int64_t end_;        ///< last round of the current batch
  int phase_ = 1;           ///< ℓ
  std::size_t turn_ = 0;    ///< position in the start order
  std::vector<bool> left_;  ///< by arm
};

}  // namespace dbandit::reference
