#pragma once

#include <stop_token>

namespace dbandit::sim {

/// Whether mpirun or the like started this process. What it writes to is then theirs, and looks like a terminal whoever reads.
bool under_mpirun();

/// This process among those that mpirun started; alone when there was no mpirun, or no MPI to build with.
/// Rank 0 runs the program. The others help with whatever it runs, until it is done.
class Ranks {
 public:
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
