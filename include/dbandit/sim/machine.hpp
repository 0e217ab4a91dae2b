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

  /// How many threads can run at the same time, at least one.
  [[nodiscard]] int usable() const;
};
Cores cores();

/// The tightest cpu.max from a control group up to the root of its hierarchy (version 2); infinite when none says one.
double cgroup_quota(const std::filesystem::path& root, const std::filesystem::path& group);

/// Average over the last minute; 0 where the system does not say.
double load_average();

/// Of the library that runs the threads, and of the one this program was built against when they differ.
std::string tbb_version();

}  // namespace dbandit::sim
