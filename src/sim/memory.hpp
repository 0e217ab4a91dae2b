#pragma once

#include <span>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Bytes that a job needs at most beside what the process already has, whatever the number of replicas: the engine's state as the engine
/// measures it (kernel/memory.hpp, reference/simulate.hpp) for every thread, the paths of a block, the statistics of the blocks in flight
/// and of the fold, and the texts that are made of them. Several specs share their threads: every one keeps its statistics and the tables
/// of its delay laws, the rest is used for one after the other.
double memory_bytes(std::span<const Spec> specs, int threads);
inline double memory_bytes(const Spec& spec, int threads) { return memory_bytes({&spec, 1}, threads); }

/// What the process has: the memory that is resident now and is its own, and the whole of the files that it maps, program and libraries.
double process_bytes();

/// What this machine has for us: physical memory, or less by the process's address-space limit.
double available_bytes();

}  // namespace dbandit::sim
