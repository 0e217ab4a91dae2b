#include "dbandit/report/manifest.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <string_view>

#include "dbandit_build.hpp"

namespace dbandit::report {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#else
constexpr std::string_view kCompiler = "unknown";
#endif

}  // namespace

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};  // Arm's kernel names no model
  return uname(&system) == 0 ? system.machine : "unknown";
}

const Build& build() {
  static const Build value{DBANDIT_VERSION, DBANDIT_COMMIT, std::string(kCompiler)};
  return value;
}

Manifest manifest(const sim::Result& result) {
  return {.build = build(),
          .cpu = cpu_name(),
          .target = result.target,
          .threads = result.threads,
          .seconds = result.timing.seconds,
          .replica_rounds = result.timing.replica_rounds};
}

Manifest manifest(std::span<const sim::Result> results) {
  Manifest all = manifest(results.front());
  for (const sim::Result& result : results.subspan(1)) {
    all.seconds += result.timing.seconds;
    all.replica_rounds += result.timing.replica_rounds;
  }
  return all;
}

}  // namespace dbandit::report
