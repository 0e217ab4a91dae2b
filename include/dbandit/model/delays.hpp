#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/model/delay_law.hpp"

namespace dbandit::model {

/// The law of the delays of every arm: one for all, or one each.
struct Delays {
  std::vector<DelayLaw> laws{Geometric{0}};

  Delays() = default;
  Delays(std::vector<DelayLaw> given) : laws(std::move(given)) {}
  template <class Law>
  requires std::constructible_from<DelayLaw, Law> Delays(Law&& law) : laws{DelayLaw(std::forward<Law>(law))} {}

  [[nodiscard]] bool common() const { return laws.size() == 1; }
  const DelayLaw& operator[](std::size_t arm) const { return laws[common() ? 0 : arm]; }
  /// The law, where all arms have the same.
  operator const DelayLaw&() const {
    assert(common());
    return laws.front();
  }
  [[nodiscard]] const Geometric* geometric() const { return common() ? std::get_if<Geometric>(&laws.front()) : nullptr; }

  friend bool operator==(const Delays&, const Delays&) = default;
};

/// The largest longest_delay.
std::int64_t longest(const Delays& delays);
/// The mean delay, averaged over the arms.
double average_mean(const Delays& delays);

/// Whether a recursion sums the exposure exactly, at a cost that depends neither on the window nor on the law: for one geometric, mixture,
/// uniform, constant or negative binomial law, and for arms with a geometric law or a mixture each.
bool has_recursion(const Delays& delays);

/// Laws separated by commas; "geometric:500,50,2000" is short for three geometric ones. Reads back by parse_delays.
std::string delays_text(const Delays& delays);
std::string short_delays_text(const Delays& delays);
/// Throws UserError.
Delays parse_delays(std::string_view text);

}  // namespace dbandit::model
