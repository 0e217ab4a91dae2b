#pragma once

#include <cstddef>
#include <cstdint>

#include "dbandit/kernel/target.hpp"
#include "floor.hpp"
#include "kernel/state.hpp"

namespace dbandit::bench {

/// What the benchmarks time of an instruction set beside kernel::Target.
struct Kernels {
  Floor floor_ucb, floor_klucb;
  void (*books)(kernel::State&, std::int64_t round);  ///< kernel::keep_books: pulls, ring and exposure of one round
};

const Kernels& kernels(const kernel::Target& target);

}  // namespace dbandit::bench
