#pragma once

#include "kernel/policy/family.hpp"

namespace dbandit::kernel {

/// An arm is played for as long as its conversions show: when none has for 20 rounds, the next in the start order has its turn. (What it
/// is: reference/win_stay.hpp.)
struct WinStay : Family {
  std::uint32_t* place = nullptr;  ///< [lane] in the start order
  std::int64_t* since = nullptr;   ///< [lane] round of the last news: a conversion, or the turn of an arm
  double* seen = nullptr;          ///< [lane] its conversions by then

  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return experiment.rule.family == "win-stay"; }
  void declare(Rows& rows, const Books& books) {
    rows(place, books.lanes);
    rows(since, books.lanes);
    rows(seen, books.lanes);
  }

  template <class Arch>
  void choose(const Books& books, const Exposure&, const Ties&, std::int64_t round) const {
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      const auto arm = [&] { return static_cast<std::size_t>(books.order[place[lane] * books.lanes + lane]); };
      const auto conversions = [&] { return books.conversions[arm() * books.lanes + lane]; };
      const bool wins = conversions() > seen[lane];
      const bool waits = round < since[lane] + 20;
      if (!wins && !waits) place[lane] = (place[lane] + 1) % static_cast<std::uint32_t>(books.arms);
      if (wins || !waits) since[lane] = round, seen[lane] = conversions();
      books.action[lane] = static_cast<double>(arm());
    }
  }
};

}  // namespace dbandit::kernel
