#pragma once

#include "kernel/books.hpp"

namespace dbandit::kernel {

/// [lane] the arm that leaves a ring in the round, −1 if none does. To be read before the round's arms take its slot.
template <class Arch>
inline void note_leaving(const Ring& ring, std::size_t lanes, std::int64_t round, double* leaving) {
  if (ring.length == 0 || round <= ring.length) {
    for (std::size_t lane = 0; lane < lanes; ++lane) leaving[lane] = -1;
    return;
  }
  ring.with_type([&](auto id) {
    const auto* const slot = ring.slot<decltype(id)>(round, lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) leaving[lane] = static_cast<double>(slot[lane]);
  });
}

/// The round's arms take their slot.
template <class Arch>
inline void remember(const Ring& ring, const Books& books, std::int64_t round) {
  if (ring.length == 0) return;
  ring.with_type([&](auto id) {
    using ArmId = decltype(id);
    ArmId* const slot = ring.slot<ArmId>(round, books.lanes);
    for (std::size_t lane = 0; lane < books.lanes; ++lane) slot[lane] = static_cast<ArmId>(books.arm(lane));
  });
}

}  // namespace dbandit::kernel
