#pragma once

#include "kernel/policy/sampling.hpp"

/// A base policy behind queues, lane by lane (what it is: reference/queue.hpp). Scalar, compiled once for the baseline CPU.
namespace dbandit::kernel {

struct Queues : Family {
  bool naive = false;          ///< only ones are queued, and their number is enough
  bool has_heuristic = false;  ///< Thompson sampling plays while the queue has nothing to offer
  Sampling heuristic;
  bool is_ucb = false;  ///< the base: UCB or Poisson KL-UCB
  bool clamped = false;
  double epsilon = 0;
  double* fed = nullptr;              ///< what a base was fed
  double* fed_conversions = nullptr;  ///< and how many ones
  double* arrived = nullptr;          ///< conversions that have joined the queues
  double* expired = nullptr;          ///< matured pulls that have been looked at
  std::uint8_t* queued = nullptr;     ///< [cell][length] rings of zeros and ones
  std::uint32_t* head = nullptr;      ///< [cell]
  std::uint32_t* waiting = nullptr;   ///< [cell] how many
  std::size_t length = 0;             ///< no queue is longer
  std::uint8_t* fate = nullptr;       ///< [window][lane] whether the pull converts within its window
  std::int64_t* steps = nullptr;      ///< [lane] the base's clock
  std::uint32_t* wish = nullptr;      ///< [lane] the base's wish

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books) {
    if (has_heuristic) heuristic.fill(setup, books);
  }
  static constexpr bool hears_conversions = true;
  void converted(const Books& books, std::size_t arm, std::size_t lane) const {
    if (has_heuristic) heuristic.converted(books, arm, lane);
  }

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) {
    if (has_heuristic) {
      heuristic.choose<Arch>(books, exposure, ties, round);
      settle_exactly<Arch>(heuristic, books, exposure, ties, round);
    }
    ask_base(books, ties);
  }
  /// Puts what the round disclosed into the queues, and notes what its pulls will come to: the base is told when that is disclosed, or
  /// when the window ends.
  void observe(const Books& books, const World& world, std::int64_t round);

 private:
  /// The base's wish for every lane; where the heuristic has chosen before, it is overruled only when it must be.
  void ask_base(const Books& books, const Ties& ties);
  void push(std::size_t cell, bool converted);
  bool pop(std::size_t cell);
  [[nodiscard]] std::uint32_t wish_of_base(const Books& books, const Ties& ties, std::size_t lane) const;
};

}  // namespace dbandit::kernel
