#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dbandit/model/delay_law.hpp"

namespace dbandit::model {

/// Bytes of a law beyond the object itself: some are lists.
std::size_t heap_bytes(const DelayLaw& law);

/// The inverse CDF of a law as a table: at(v) is delay_at(law, v) wherever that is at most `last`, and last + 1 beyond. Also the CDF.
/// Made once, grown when asked for more.
class DelayTable {
 public:
  explicit DelayTable(DelayLaw law) : law_(std::move(law)) {}

  [[nodiscard]] const DelayLaw& law() const { return law_; }
  /// Makes at() good up to `last`.
  void reach(std::int64_t last);
  /// τ_0 … τ_last.
  const double* cdf(std::int64_t last);
  /// Of a table of that law whose at() is good up to `reached` and whose cdf() goes to `cdf`; −1: never asked for.
  static double bytes(const DelayLaw& law, std::int64_t reached, std::int64_t cdf);

  /// v ∈ (0,1), at least 2^-53. The six leading bits of v's significand and its exponent say between which two entries to halve.
  [[nodiscard]] std::int64_t at(double v) const {
    const std::size_t slot = (std::bit_cast<std::uint64_t>(v) >> kShift) - kFirst;
    std::int64_t low = guide_[slot + 1], high = guide_[slot];
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (survival_[static_cast<std::size_t>(middle)] < v) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  static constexpr int kShift = 46;
  static constexpr std::uint64_t kFirst = std::uint64_t{1023 - 53} << 6;
  static constexpr std::size_t kSlots = 53 << 6;

  DelayLaw law_;
  std::vector<double> survival_;     ///< P(D > d)
  std::vector<double> cdf_;          ///< P(D ≤ d)
  std::vector<std::int64_t> guide_;  ///< [slot] the least d whose survival is below the slot's lower end; one more at the top
};

}  // namespace dbandit::model
