#pragma once

// Included only by what target.cpp.in becomes, and by baseline files with Arch = Baseline.

/// What xsimd 8.1 lacks, once per processor; no other file has an intrinsic. Everything in it is a template on the architecture: an inline
/// function that is not would be one symbol shared by files compiled for different CPUs.
///   Baseline              the instruction set of every file that is not one target's: what is computed with it is the same on every CPU
///   multiply_low_halves, load_shorts, at_most, sums_of_bytes, nonzero_bytes, bits, where
///   multiply_add, fused   a b + c, rounded once where the CPU can: for what decides nothing
///   store_singles, load_arms, store_arms, load_keys
///   Denormals             whether they are flushed while it lives
///   time_stamp            the CPU's counter
#if defined(__x86_64__)
#include "kernel/lanes/x86.hpp"
#elif defined(__aarch64__)
#include "kernel/lanes/arm64.hpp"
#else
#error "src/kernel/lanes/ has no primitives for this processor"
#endif
