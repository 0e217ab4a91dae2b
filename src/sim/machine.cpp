#include "dbandit/sim/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <tbb/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace dbandit::sim {

namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

/// "200000 100000": so many microseconds in each period; "max 100000": no limit.
double quota_of(const fs::path& file) {
  double microseconds = 0, period = 0;
  std::ifstream text(file);
  return text >> microseconds >> period && microseconds > 0 && period > 0 ? microseconds / period : kNone;
}

/// Of version 1, whose two numbers are files of their own; −1 is no limit.
double legacy_quota(const fs::path& folder) {
  double microseconds = 0, period = 0;
  std::ifstream quota(folder / "cpu.cfs_quota_us"), length(folder / "cpu.cfs_period_us");
  return quota >> microseconds && length >> period && microseconds > 0 && period > 0 ? microseconds / period : kNone;
}

int allowed_cores(int present) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : present;  // fails only beyond 1024 processors
}

double quota() {
  double least = legacy_quota("/sys/fs/cgroup/cpu");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    constexpr std::string_view unified = "0::/";
    if (line.starts_with(unified)) least = std::min(least, cgroup_quota("/sys/fs/cgroup", line.substr(unified.size())));
  }
  return least;
}

}  // namespace

int Cores::usable() const { return std::max(1, static_cast<int>(std::min(static_cast<double>(allowed), quota))); }

Cores cores() {
  const int present = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  return {.present = present, .allowed = allowed_cores(present), .quota = quota()};
}

double cgroup_quota(const fs::path& root, const fs::path& group) {
  double least = quota_of(root / "cpu.max");
  fs::path folder = root;
  for (const fs::path& part : group) least = std::min(least, quota_of((folder /= part) / "cpu.max"));
  return least;
}

double load_average() {
  double minute = 0;
  return ::getloadavg(&minute, 1) == 1 ? minute : 0;
}

std::string tbb_version() {
  const int running = TBB_runtime_interface_version();
  return fmt::format("oneTBB {}{}", TBB_runtime_version(),
                     running == TBB_INTERFACE_VERSION ? "" : fmt::format(", built against {}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR));
}

}  // namespace dbandit::sim
