#pragma once

#include <cstdint>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Bytes that a run needs at most, whatever the number of replicas. With L = plan(spec).block_lanes, R recorded rounds,
/// K arms, P policies, n threads and Q = min(T, m or the law's longest delay) + 1 rounds in which a conversion can be pending:
///
///   n · (L · (8 (3R + K) + 128 K + 16 Q) + 144 Q)   paths; state by arm; ring of pulls, calendar, histogram of delays, table of the law
///   + n · 64 T                                      reference engine only: the history of one replica
///   + (4n + 1) · P (24 (3R + K + P) + 4 L B)        statistics of the blocks in flight and of the fold; B = min(R, 50)
///   + 64 KB · P B                                   spread of the regret over all replicas, for values within 2^6 of each other
double memory_bytes(const Spec& spec, int threads);

/// What this machine has for us: physical memory, or less by the process's address-space limit.
double available_bytes();

}  // namespace dbandit::sim
