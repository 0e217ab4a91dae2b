#pragma once

#include <filesystem>
#include <limits>
#include <string>

/// What this machine lets us have of its processors.
namespace dbandit::sim {

struct Cores {
  int present = 1;                                         ///< online
  int allowed = 1;                                         ///< by the affinity of the process (taskset, cpusets)
  double quota = std::numeric_limits<double>::infinity();  ///< CPU seconds a second, by the control group
  int ranks = 1;                                           ///< processes that mpirun started on this machine, this one included
  int together = 1;                                        ///< allowed to at least one of them

  /// How many threads are of use, at least one: a quota of 1.5 keeps two busy three quarters of the time.
  [[nodiscard]] int usable() const;
  /// The same of all ranks on this machine together, and what that leaves to each without taking turns; 0: there are more ranks.
  [[nodiscard]] int of_ranks() const;
  [[nodiscard]] int of_each_rank() const;
};
Cores cores();

/// The tightest quota from a control group (of version 1 or 2) up to the root of its hierarchy; infinite when none says one.
double cgroup_quota(const std::filesystem::path& root, const std::filesystem::path& group);

/// Average over the last minute; 0 where the system does not say.
double load_average();

/// Of the library that runs the threads, and of the one this program was built against when they differ.
std::string tbb_version();

}  // namespace dbandit::sim
