#pragma once

#include <span>
#include <string>

#include "dbandit/sim/result.hpp"

namespace dbandit::report {

/// Which program this is.
struct Build {
  std::string version;
  std::string commit;  ///< as `git describe` says it when the program is built; "unknown" outside a checkout
  std::string compiler;
};
const Build& build();

/// As the operating system calls the processor; "unknown" where it does not say.
std::string cpu_name();

/// Where, by what and how fast a result was made: everything that may differ between two runs of one spec, and the only
/// place where a time is written.
struct Manifest {
  Build build;
  std::string cpu;
  std::string target;
  int threads = 0;
  double seconds = 0;
  double replica_rounds = 0;
  [[nodiscard]] double replica_rounds_per_second() const { return seconds > 0 ? replica_rounds / seconds : 0; }
};
Manifest manifest(const sim::Result& result);
/// Of the runs of one job together.
Manifest manifest(std::span<const sim::Result> results);

}  // namespace dbandit::report
