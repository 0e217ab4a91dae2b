#pragma once

#include <span>
#include <string_view>

#include "dbandit/model/experiment.hpp"

/// What exists once per instruction set. A target is a value in a list, so tests, benchmarks and the command line walk
/// the list and can force one. All targets give the same bytes.
namespace dbandit::kernel {

struct Target {
  std::string_view name;         ///< "avx512", "avx2", "sse2"
  std::string_view requirement;  ///< what the CPU must have, in words
  bool (*supported)();
  /// Simulates a block; exposure: buffer or recursion.
  void (*simulate)(const model::Experiment&, const model::Block&, model::Exposure, model::Solver, model::Paths&);
};

/// Every target this program was built with, best first.
std::span<const Target> targets();
/// The first one that this CPU supports (sse2 is the baseline, so there always is one).
const Target& best_target();
/// nullptr when there is none of that name.
const Target* find_target(std::string_view name);

}  // namespace dbandit::kernel
