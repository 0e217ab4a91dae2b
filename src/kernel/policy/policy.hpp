#pragma once

#include "kernel/policy/families.hpp"
#include "kernel/policy/index.hpp"

namespace dbandit::kernel {

/// A family's state, one member of the policy.
template <class F>
struct Held {
  F family;
};
template <class List>
struct Holder;
template <class... F>
struct Holder<List<F...>> : Held<F>... {};

/// The policy of a block: one family, each with its state in a file of its own, and the ties that they share.
struct Policy : Holder<Families> {
  int chosen = 0;  ///< place in Families; beyond them: the index
  Index index;
  Ties ties;

  /// Hands the family that is live to `visit`: one comparison of `chosen` a family, for a whole block.
  template <class Visit>
  [[gnu::always_inline]] void with_family(Visit visit) {
    visit_live(Families{}, visit);
  }

  /// The delays that the live family learns; of kind none where it learns none.
  [[nodiscard, gnu::always_inline]] LearnedDelays& learned() {
    LearnedDelays* found = &index.learned;
    with_family([&](auto& family) {
      if constexpr (requires { family.learned; }) found = &family.learned;
    });
    return *found;
  }

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

 private:
  template <class... F, class Visit>
  [[gnu::always_inline]] void visit_live(List<F...>, Visit& visit) {
    int place = 0;
    if (!((chosen == place++ && (visit(static_cast<Held<F>*>(this)->family), true)) || ...)) visit(index);
  }
};

/// What the rest of a block must know of the policy that plays the experiment.
[[nodiscard]] Traits traits(const model::Experiment& experiment);

/// The arm of every lane; lists the lanes that the vectors cannot decide.
template <class Arch>
[[gnu::noinline]] void choose(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  policy.ties.round = round;
  policy.ties.count = 0;
  policy.ties.keys_are_drawn = false;
  policy.ties.settled = 0;
  policy.with_family([&](auto& family) { family.template choose<Arch>(books, exposure, policy.ties, round); });
}

/// Decides what is left by exact indices, and breaks ties.
template <class Arch>
[[gnu::noinline]] void settle(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  Ties& ties = policy.ties;
  if (ties.count == 0) return;
  policy.with_family([&](auto& family) {
    if (!ties.lowest && !ties.keys_are_drawn && ties.are_many(books)) {
      draw_keys<Arch>(books, rng::Stream::tie, 0, round, ties.keys, books.lanes);
      ties.keys_are_drawn = true;
    }
    if (!ties.lowest) family.template settle_by_keys<Arch>(books, exposure, ties);
    settle_exactly<Arch>(family, books, exposure, ties, round);
  });
}

}  // namespace dbandit::kernel
