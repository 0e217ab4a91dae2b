#pragma once

#include "kernel/exposure/exposure.hpp"
#include "kernel/policy/guests.hpp"
#include "kernel/policy/index.hpp"
#include "kernel/policy/learned_delays.hpp"
#include "kernel/policy/queues.hpp"
#include "kernel/policy/sampling.hpp"
#include "kernel/policy/turns.hpp"

namespace dbandit::kernel {

/// The policy of a block: one family, each with its state in a file of its own, and what some of them share.
struct Policy {
  enum class Family { index, sampling, queues, turns, uniform, guests };
  Family family = Family::uniform;
  Ties ties;
  Index index;
  Sampling sampling;  ///< of its own, or the heuristic beside a queue
  Queues queues;
  Turns turns;
  LearnedDelays learned;
  Guests guests;

  /// What it asks of the rest of the block.
  [[nodiscard]] static bool wants_exposure(const model::Experiment& experiment);
  [[nodiscard]] static Feedback feedback(const model::Experiment& experiment);

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  [[nodiscard, gnu::always_inline]] bool samples() const {
    return family == Family::sampling || (family == Family::queues && queues.has_heuristic);
  }
  [[nodiscard, gnu::always_inline]] Radius radius() const { return family == Family::index ? index.radius() : Radius{}; }

  /// What the index divides by.
  [[nodiscard, gnu::always_inline]] Denominator denominator(const Books& books, const Exposure& exposure) const {
    using Kind = Denominator::Kind;
    switch (index.statistic) {
      case model::Statistic::exposure:
        return exposure.denominator(books);
      case model::Statistic::matured:
        if (index.by_arm) return {Kind::row, nullptr, nullptr, index.visible, 0, 0};
        return {Kind::matured, nullptr, books.matured, nullptr, index.window_cdf, 0};
      case model::Statistic::immediate:
      case model::Statistic::uncorrected:
        return {Kind::pulls, books.pulls, nullptr, nullptr, 0, 0};
      case model::Statistic::agnostic_window:
      case model::Statistic::agnostic_mean:
      case model::Statistic::agnostic_likelihood:
        return {Kind::row, nullptr, nullptr, learned.exposure, 0, 0};
      case model::Statistic::none:
      case model::Statistic::queue_naive:
      case model::Statistic::queue:
      case model::Statistic::queue_heuristic:
        break;
    }
    assert(false && "another family's");
    return {};
  }
};

/// Settles the undecided lanes exactly, ties by their keys; writes their actions.
void resolve(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round);

/// Arms that need no index.
template <class Arch>
inline bool play_in_order(const Books& books, std::int64_t round, std::int64_t rounds) {
  if (round > rounds) return false;
  const std::uint16_t* const order = books.order + static_cast<std::size_t>(round - 1) % books.arms * books.lanes;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) books.action[lane] = order[lane];
  return true;
}

/// The arm of every lane; lists the lanes that the vectors cannot decide.
template <class Arch>
[[gnu::noinline]] void choose(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  const auto arms = static_cast<std::int64_t>(books.arms);
  Ties& ties = policy.ties;
  ties.count = 0;
  ties.keys_are_drawn = false;
  switch (policy.family) {
    case Policy::Family::index:
      if (play_in_order<Arch>(books, round, policy.index.start_rounds)) return;
      choose<Arch>(policy.index, books, policy.denominator(books, exposure), ties, round);
      break;
    case Policy::Family::sampling:
      if (play_in_order<Arch>(books, round, arms)) return;
      choose<Arch>(policy.sampling, books, exposure.denominator(books), ties, round);
      break;
    case Policy::Family::queues:
      if (policy.queues.has_heuristic) {
        choose<Arch>(policy.sampling, books, exposure.denominator(books), ties, round);
        resolve(policy, books, exposure, round);
      }
      return policy.queues.choose(books, ties);
    case Policy::Family::turns:
      return policy.turns.choose(books, round);
    case Policy::Family::uniform:
      if (play_in_order<Arch>(books, round, arms)) return;
      for (std::size_t lane = 0; lane < books.lanes; ++lane) ties.undecided[lane] = static_cast<std::uint32_t>(lane);
      ties.count = books.lanes;
      return;
    case Policy::Family::guests:
      if (!play_in_order<Arch>(books, round, arms)) policy.guests.choose(books, exposure.denominator(books), ties, round);
      return;
  }
  ties.decisions += books.lanes;
  ties.resolved += ties.count;
}

/// Decides what is left by exact indices, and breaks ties.
template <class Arch>
[[gnu::noinline]] void settle(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  Ties& ties = policy.ties;
  if (ties.count == 0) return;
  if (ties.count * 4 > books.lanes && !ties.lowest) {
    draw_tie_keys<Arch>(books, ties, round);
    ties.keys_are_drawn = true;
    if (policy.family == Policy::Family::uniform) {
      const auto all = [](std::size_t) { return Mask<Arch>(true); };
      settle_by_keys<Arch>(books, ties, all, all);
    } else if (policy.family == Policy::Family::index) {
      settle_clamped<Arch>(policy.index, books, policy.denominator(books, exposure), ties);
    }
    if (ties.count == 0) return;
  }
  resolve(policy, books, exposure, round);
}

}  // namespace dbandit::kernel
