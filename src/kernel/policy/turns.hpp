#pragma once

#include "kernel/policy/family.hpp"

/// Arms in turn, bad ones dropped: at the ends of growing batches, or phase by phase (what they are: reference/elimination.hpp). Scalar,
/// compiled once for the baseline CPU.
namespace dbandit::kernel {

struct Turns : Family {
  bool by_phases = false;
  std::int64_t batch_end = 0;       ///< last round of a batch
  std::uint8_t* dropped = nullptr;  ///< [cell] whether the arm is
  std::uint32_t* turn = nullptr;    ///< [lane] place in the start order
  std::int32_t* phase = nullptr;    ///< [lane]

  [[nodiscard]] static bool takes(const model::Experiment& experiment) {
    return experiment.rule.index == model::IndexForm::batches || experiment.rule.index == model::IndexForm::phases;
  }
  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  template <class Arch>
  void choose(const Books& books, const Exposure&, Ties&, std::int64_t round) {
    take(books, round);
  }

 private:
  void take(const Books& books, std::int64_t round);
};

}  // namespace dbandit::kernel
