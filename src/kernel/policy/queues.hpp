#pragma once

#include "kernel/policy/sampling.hpp"

/// A base policy behind queues, lane by lane (what it is: reference/queue.hpp). Scalar, compiled once for the baseline CPU. The base is
/// asked only when it was fed, and not then while its last wish is certain: only the arm that it wishes is fed, so the certificate of
/// lead.hpp holds with the base's clock for the round and what it was fed for the exposure, whatever the items are.
namespace dbandit::kernel {

struct Queues : Family {
  static constexpr bool hears_conversions = true;

  bool naive = false;          ///< only ones are queued, and their number is enough
  bool has_heuristic = false;  ///< Thompson sampling plays while the queue has nothing to offer
  Sampling heuristic;
  bool is_ucb = false;  ///< the base: UCB or Poisson KL-UCB
  bool clamped = false;
  double epsilon = 0;
  double* fed = nullptr;              ///< what a base was fed
  double* fed_conversions = nullptr;  ///< and how many ones
  std::uint64_t* queued = nullptr;    ///< [cell][words] rings of bits; those that wait for nothing are 0
  std::size_t words = 0;              ///< no queue is longer than they have bits
  std::uint32_t* head = nullptr;      ///< [cell]
  std::uint32_t* waiting = nullptr;   ///< [cell] how many
  std::uint32_t* pulled = nullptr;    ///< [window][lane] 2 × the arm, + 1 if the pull converts within its window
  std::int64_t* steps = nullptr;      ///< [lane] the base's clock: how much it was fed in all
  std::int64_t* certain = nullptr;    ///< [lane] up to which of them its wish stays
  std::uint32_t* wish = nullptr;      ///< [lane] the base's wish
  double* numerator = nullptr;        ///< [arm] scratch: of the indices that the base compares

  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return model::queues(experiment.rule.statistic); }
  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) {
    if (has_heuristic) {
      heuristic.choose<Arch>(books, exposure, ties, round);
      settle_exactly<Arch>(heuristic, books, exposure, ties, round);
    }
    ask_base(books, ties);
  }
  /// A conversion joins its queue.
  void converted(const Books& books, std::size_t arm, std::size_t lane) const;
  /// The pulls whose window ends in silence join theirs, and what this round's will come to is noted.
  void observe(const Books& books, const World& world, std::int64_t round) const;

 private:
  /// The base's wish for every lane; where the heuristic has chosen before, it is overruled only when it must be.
  void ask_base(const Books& books, const Ties& ties) const;
  void feed(std::size_t cell, std::uint32_t count) const;
  /// Its wish and for how long that is certain.
  void look(const Books& books, const Ties& ties, std::size_t lane) const;
  void estimate(const Books& books, std::size_t lane, double beta) const;
  [[nodiscard]] std::size_t clear_winner(const Books& books, std::size_t lane) const;
  [[nodiscard]] std::size_t exact_winner(const Books& books, const Ties& ties, std::size_t lane, double beta) const;
  [[nodiscard]] double steps_of_lead(const Books& books, std::size_t lane, double beta) const;
};

}  // namespace dbandit::kernel
