#pragma once

#include "kernel/policy/family.hpp"

namespace dbandit::kernel {

/// An arm at random: all tie in every round.
struct Uniform : Family {
  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return experiment.rule.statistic == model::Statistic::none; }
  template <class Arch>
  void choose(const Books& books, const Exposure&, Ties& ties, std::int64_t round) const {
    if (play_in_order<Arch>(books, round)) return;
    for (std::size_t lane = 0; lane < books.lanes; ++lane) ties.undecided[lane] = static_cast<std::uint32_t>(lane);
    ties.count = books.lanes;
  }
  template <class Arch>
  void settle_by_keys(const Books& books, const Exposure&, Ties& ties) const {
    kernel::settle_by_keys<Arch>(books, ties, [](std::size_t) {
      return [](std::size_t, Mask<Arch>& certain, Mask<Arch>& possible) { certain = possible = Mask<Arch>(true); };
    });
  }
  std::size_t resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const;
};

}  // namespace dbandit::kernel
