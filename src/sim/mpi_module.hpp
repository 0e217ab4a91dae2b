#pragma once

#include <cstdint>

namespace dbandit::sim {

/// What the module that links MPI offers to the program that loads it: plain functions over bytes, so that it needs nothing of ours and
/// may be missing. Called by one thread at a time, after `enter` and before `leave`.
struct MpiModule {
  static constexpr int kVersion = 1;

  struct Place {
    int rank = 0, size = 1;
    int ranks_here = 1;  ///< on this machine, this one included
    int cores_here = 0;  ///< that one or more of them may use
  };

  int version;  ///< kVersion of its build
  Place (*enter)(int* argc, char*** argv);
  void (*leave)();
  void (*abort_all)(int code);
  void (*send)(int to, int tag, const char* bytes, int size);
  /// Bytes of the message that has come; -1 when none has.
  int (*waiting)(int from, int tag);
  void (*receive)(int from, int tag, char* bytes, int size);
  /// One number for all ranks, in the memory of rank 0, changed by one-sided operations; there are none with one rank. What it was before.
  std::uint64_t (*add_to_counter)(std::uint64_t by);
  std::uint64_t (*set_counter)(std::uint64_t to);
  std::uint64_t (*read_counter)();
};

}  // namespace dbandit::sim

/// What the module exports.
extern "C" const dbandit::sim::MpiModule* dbandit_mpi_module();
