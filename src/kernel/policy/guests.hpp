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
  double* pending = nullptr;
  double* barren = nullptr;             ///< pulls whose window ended without a conversion
  std::uint16_t* place = nullptr;       ///< [arm][replica], the inverse of `arm`
  std::uint16_t* disclosed = nullptr;   ///< of the round
  std::uint16_t* played = nullptr;      ///< [replica]
  std::uint16_t* unfruitful = nullptr;  ///< [round mod window][replica] place of a pull whose conversion will not be seen; else kFruitful
  static constexpr std::uint16_t kFruitful = 0xFFFF;

  static constexpr bool hears_conversions = true;
  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return experiment.guest != nullptr; }
  [[nodiscard]] static Traits traits(const model::Experiment&) { return {.wants_exposure = true}; }
  void declare(Rows& rows, const Books& books);
  void size(const Setup& setup, const Books&) { guest = setup.experiment.guest; }
  void fill(const Setup& setup, const Books& books) const;
  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round) const {
    if (!play_in_order<Arch>(books, round)) ask(books, exposure.denominator(books), ties, round);
  }
  void converted(const Books& books, std::size_t arm, std::size_t lane) const;
  void observe(const Books& books, const World& world, std::int64_t round) const;

 private:
  void ask(const Books& books, const Denominator& denominator, const Ties& ties, std::int64_t round) const;
  [[nodiscard]] std::size_t largest(const Books& books, const Ties& ties, std::int64_t round, std::size_t lane) const;
};

}  // namespace dbandit::kernel
