#include "sim/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <tbb/version.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "ranks.hpp"

namespace dbandit::sim {

namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

/// Of one control group. Version 2 has both numbers in one file ("max 100000": no limit), version 1 in two (−1: no limit).
double quota_of(const fs::path& folder) {
  double microseconds = 0, period = 0;
  std::ifstream both(folder / "cpu.max"), quota(folder / "cpu.cfs_quota_us"), length(folder / "cpu.cfs_period_us");
  const bool said = both ? both >> microseconds && both >> period : quota >> microseconds && length >> period;
  return said && microseconds > 0 && period > 0 ? microseconds / period : kNone;
}

int allowed_cores(int present) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : present;  // fails only beyond 1024 processors
}

double quota() {
  double least = kNone;
  std::ifstream groups("/proc/self/cgroup");
  // "0::/user.slice" of version 2, "4:cpu,cpuacct:/docker/5e1" of version 1.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(":/", first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    least = std::min(least, cgroup_quota(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", line.substr(second + 2)));
  }
  return least;
}

}  // namespace

int Cores::usable() const { return std::max(1, static_cast<int>(std::ceil(std::min(static_cast<double>(allowed), quota)))); }

int Cores::of_ranks() const {
  Cores all = *this;
  all.allowed = together;
  return ranks > 1 ? all.usable() : usable();
}

int Cores::of_each_rank() const { return std::min(usable(), of_ranks() / ranks); }

Cores cores() {
  const int present = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  const int allowed = allowed_cores(present);
  const ranks::Neighbours here = ranks::neighbours();
  return {.present = present, .allowed = allowed, .quota = quota(), .ranks = here.ranks, .together = std::max(allowed, here.cores)};
}

double cgroup_quota(const fs::path& root, const fs::path& group) {
  double least = quota_of(root);
  fs::path folder = root;
  for (const fs::path& part : group) least = std::min(least, quota_of(folder /= part));
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
