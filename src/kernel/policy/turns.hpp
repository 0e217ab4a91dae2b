#pragma once

#include "kernel/books.hpp"
#include "kernel/setup.hpp"

/// Arms in turn, bad ones dropped: at the ends of growing batches, or phase by phase (what they are: reference/elimination.hpp). Scalar,
/// compiled once for the baseline CPU.
namespace dbandit::kernel {

struct Turns {
  bool by_phases = false;
  std::int64_t batch_end = 0;       ///< last round of a batch
  std::uint8_t* dropped = nullptr;  ///< [cell] whether the arm is
  std::uint32_t* turn = nullptr;    ///< [lane] place in the start order
  std::int32_t* phase = nullptr;    ///< [lane]

  void size(const model::Experiment& experiment, const Books& books);
  void declare(Rows& rows, const Books& books);
  void choose(const Books& books, std::int64_t round);
};

}  // namespace dbandit::kernel
