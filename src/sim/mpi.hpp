#pragma once

#include <stop_token>
#include <string>

namespace dbandit::sim {

/// Whether mpirun or the like started this process. What it writes to is then theirs, and looks like a terminal whoever reads.
bool under_mpirun();

/// Why the module that speaks MPI, lib/dbandit/modules/mpi.so beside the program's folder, cannot be used; empty when it can.
std::string mpi_trouble();

/// This process among those that mpirun started; alone, and MPI not loaded, when there was no mpirun.
/// Rank 0 runs the program. The others help with whatever it runs, until it is done.
class Ranks {
 public:
  /// Throws UserError, on the first rank only, when there is an mpirun and no such module.
  Ranks(int& argc, char**& argv);
  /// Rank 0 sends the others home.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] bool is_helper() const;
  /// Helps until rank 0 is done.
  void help(const std::stop_token& stop);
};

}  // namespace dbandit::sim
