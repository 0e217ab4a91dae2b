#pragma once

#include "kernel/policy/guests.hpp"
#include "kernel/policy/index.hpp"
#include "kernel/policy/queues.hpp"
#include "kernel/policy/sampling.hpp"
#include "kernel/policy/turns.hpp"
#include "kernel/policy/uniform.hpp"

namespace dbandit::kernel {

/// The policy of a block: one family, each with its state in a file of its own, and the ties that they share.
struct Policy {
  enum class Kind { index, thompson, queues, turns, uniform, guests };
  /// What the rest of the block must know of it.
  struct Traits {
    Kind kind;
    Feedback feedback = Feedback::delayed;
    bool wants_exposure = false;
  };
  [[nodiscard]] static Traits traits(const model::Experiment& experiment);

  Kind kind = Kind::uniform;
  Ties ties;
  Index index;
  Thompson thompson;
  Queues queues;
  Turns turns;
  Uniform uniform;
  Guests guests;

  /// Hands the family that is live to `visit`.
  template <class Visit>
  [[gnu::always_inline]] void with_family(Visit visit) {
    switch (kind) {
      case Kind::index:
        return visit(index);
      case Kind::thompson:
        return visit(thompson);
      case Kind::queues:
        return visit(queues);
      case Kind::turns:
        return visit(turns);
      case Kind::uniform:
        return visit(uniform);
      case Kind::guests:
        return visit(guests);
    }
  }

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);
};

/// The arm of every lane; lists the lanes that the vectors cannot decide.
template <class Arch>
[[gnu::noinline]] void choose(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  policy.ties.count = 0;
  policy.ties.keys_are_drawn = false;
  policy.with_family([&](auto& family) { family.template choose<Arch>(books, exposure, policy.ties, round); });
}

/// Decides what is left by exact indices, and breaks ties.
template <class Arch>
[[gnu::noinline]] void settle(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  Ties& ties = policy.ties;
  if (ties.count == 0) return;
  policy.with_family([&](auto& family) {
    if (ties.count * 4 > books.lanes && !ties.lowest) {
      draw_tie_keys<Arch>(books, ties, round);
      ties.keys_are_drawn = true;
      family.template settle_by_keys<Arch>(books, exposure, ties);
    }
    settle_exactly<Arch>(family, books, exposure, ties, round);
  });
}

}  // namespace dbandit::kernel
