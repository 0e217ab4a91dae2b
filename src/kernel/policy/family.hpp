#pragma once

#include "kernel/account.hpp"
#include "kernel/exposure/exposure.hpp"
#include "kernel/policy/largest.hpp"
#include "kernel/world/world.hpp"

namespace dbandit::kernel {

/// What the rest of a block must know of its policy.
struct Traits {
  Feedback feedback = Feedback::delayed;
  bool wants_exposure = false;
};

/// What a family of policies may leave unsaid. It must say `takes(experiment)`, whether it plays that, and
/// `choose<Arch>(books, exposure, ties, round)`: the arm of every lane into books.action; lanes that it lists in `ties` are settled
/// afterwards, by keys where these decide, else by `resolve`.
struct Family {
  /// As the statistic has it.
  [[nodiscard]] static Traits traits(const model::Experiment& experiment);

  void size(const Setup&, const Books&) {}
  void declare(Rows&, const Books&) {}
  void fill(const Setup&, const Books&) {}

  template <class Arch>
  void settle_by_keys(const Books&, const Exposure&, Ties&) const {}
  [[gnu::always_inline]] std::size_t resolve(const Books&, const Exposure&, const Ties&, std::int64_t, std::size_t) const { return 0; }

  /// What the account keeps for it, and what follows from the account.
  [[gnu::always_inline]] Radius radius() const { return {}; }
  template <class Arch>
  void after_account(const Books&) const {}
  /// A conversion of an arm that is disclosed, where the family has `hears_conversions`.
  static constexpr bool hears_conversions = false;
  /// After the disclosures of a round.
  [[gnu::always_inline]] void observe(const Books&, const World&, std::int64_t) const {}
};

/// The start: arms that need no index.
template <class Arch>
inline bool play_in_order(const Books& books, std::int64_t round, std::int64_t rounds) {
  if (round > rounds) return false;
  const std::uint16_t* const order = books.order + static_cast<std::size_t>(round - 1) % books.arms * books.lanes;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) books.action[lane] = order[lane];
  return true;
}
template <class Arch>
inline bool play_in_order(const Books& books, std::int64_t round) {
  return play_in_order<Arch>(books, round, static_cast<std::int64_t>(books.arms));
}

}  // namespace dbandit::kernel
