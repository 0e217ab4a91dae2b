#pragma once

#include "kernel/policy/family.hpp"

/// A policy given as a function. It is asked about all replicas at once, once a round, and sees the arms of each in an order of its own.
namespace dbandit::kernel {

struct Guests : Family {
  const model::Guest* guest = nullptr;
  // [place][replica], places in the order in which the guest sees the arms.
  std::uint16_t* arm = nullptr;
  double* pulls = nullptr;
  double* exposure = nullptr;
  double* conversions = nullptr;
  double* indices = nullptr;

  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return experiment.guest != nullptr; }
  [[nodiscard]] static Traits traits(const model::Experiment&) { return {.wants_exposure = true}; }
  void declare(Rows& rows, const Books& books);
  void size(const Setup& setup, const Books&) { guest = setup.experiment.guest; }
  void fill(const Setup& setup, const Books& books) const;
  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round) const {
    if (!play_in_order<Arch>(books, round)) ask(books, exposure.denominator(books), ties, round);
  }

 private:
  void ask(const Books& books, const Denominator& denominator, const Ties& ties, std::int64_t round) const;
  [[nodiscard]] std::size_t largest(const Books& books, const Ties& ties, std::int64_t round, std::size_t lane) const;
};

}  // namespace dbandit::kernel
