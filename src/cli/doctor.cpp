#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "child.hpp"
#include "command.hpp"
#include "core/file.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit_setup.hpp"
#include "report/findings.hpp"
#include "report/table.hpp"
#include "sim/machine.hpp"
#include "sim/memory.hpp"
#include "sim/mpi.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

namespace fs = std::filesystem;

using report::Finding;

std::string first_line(const fs::path& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  return line;
}

std::optional<fs::path> on_the_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

/// The first line that a program says about itself.
std::string version_of(const fs::path& program) {
  try {
    const ChildOutcome outcome = run_child(program, {"--version"}, {}, [](std::string_view) {});
    const std::string& said = outcome.out.empty() ? outcome.err : outcome.out;
    return said.substr(0, said.find('\n'));
  } catch (const std::system_error&) {
    return "cannot be started";
  }
}

Finding program() {
  const report::Build& build = report::build();
  return {"program", fmt::format("dbandit {}, commit {}", build.version, build.commit), ""};
}

Finding compiler() {
  constexpr std::string_view type = DBANDIT_BUILD_TYPE, sanitizers = DBANDIT_SANITIZERS;
  Finding finding{"compiler", fmt::format("{}, {} build, {}", report::build().compiler, type, DBANDIT_FLAGS), ""};
  if (!sanitizers.empty()) finding.found += fmt::format(", sanitizers {}", sanitizers);
  if (type != "Release" || !sanitizers.empty()) finding.fix = "cmake --preset release && cmake --build --preset release";
  return finding;
}

Finding libraries() { return {"libraries", fmt::format("{}, {}", sim::tbb_version(), DBANDIT_LIBRARIES), ""}; }

Finding cpu() { return {"cpu", report::cpu_name(), ""}; }

Finding targets() {
  std::string has, lacks;
  for (const kernel::Target& target : kernel::targets()) {
    std::string& list = target.supported() ? has : lacks;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", target.name);
  }
  if (!lacks.empty()) lacks = fmt::format("; not on this CPU: {}", lacks);
  return {"targets", fmt::format("{}{}; chosen: {}", has, lacks, kernel::best_target().name), ""};
}

Finding cores() {
  const sim::Cores cores = sim::cores();
  Finding finding{"cores", fmt::format("{} present, {} allowed by affinity", cores.present, cores.allowed), ""};
  finding.found += std::isfinite(cores.quota) ? fmt::format(", quota of the control group {:.2f}", cores.quota) : ", no quota";
  if (cores.usable() < cores.allowed) {
    finding.fix = fmt::format("raise cpu.max to use the others too; until then {} are started unless --threads says more", cores.usable());
  } else if (cores.allowed < cores.present) {
    finding.fix = fmt::format("taskset --cpu-list 0-{} dbandit …, to be allowed the others too", cores.present - 1);
  }
  return finding;
}

Finding load() {
  const double load = sim::load_average();
  const int cores = sim::cores().usable();
  Finding finding{"load", fmt::format("{:.2f} in the last minute on {} usable cores", load, cores), ""};
  if (load > cores) finding.fix = "wait until others are done ('top' shows who); results stay the same, times do not";
  return finding;
}

Finding governor() {
  const std::string name = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (name.empty()) return {"governor", "the system does not say; virtual machines have none", ""};
  return {"governor", name, name == "performance" ? "" : "sudo cpupower frequency-set --governor performance (Debian: linux-cpupower)"};
}

Finding huge_pages() {
  const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const auto open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return {"huge pages", "the system does not say", ""};
  const std::string mode = line.substr(open + 1, close - open - 1);
  return {"huge pages", mode, mode == "never" ? "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" : ""};
}

Finding memory() { return {"memory", fmt::format("{}B for us", report::count_text(sim::available_bytes())), ""}; }

/// Debug builds of the library carry the warning they print; others do not have it.
Finding benchmark_library() {
  std::error_code error;
  std::vector<fs::path> folders{"/usr/lib", "/usr/local/lib", "/usr/lib64"};
  for (fs::directory_iterator entry("/usr/lib", error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().ends_with("-linux-gnu")) folders.push_back(entry->path());
  }
  for (const fs::path& folder : folders) {
    for (const char* name : {"libbenchmark.so", "libbenchmark.a"}) {
      const Input library = read_input(folder / name, 100'000'000);
      if (!library.wrong.empty()) continue;
      if (library.bytes.find("Library was built as DEBUG") == std::string::npos)
        return {"benchmark", "Google Benchmark, release build", ""};
      return {"benchmark", "Google Benchmark, a debug build: its own work is slow, which ours, of a microsecond and more, does not feel",
              "build it with -DCMAKE_BUILD_TYPE=Release, then cmake --preset release -Dbenchmark_DIR=… (only for shorter bodies)"};
    }
  }
  return {"benchmark", "Google Benchmark is not installed", "apt install libbenchmark-dev (only for 'dbandit bench')"};
}

Finding mpi() {
  const auto mpirun = on_the_path("mpirun");
  if (!mpirun) return {"mpi", "mpirun is not installed", "apt install openmpi-bin libopenmpi-dev (only to run on several machines)"};
  const std::string version = version_of(*mpirun), trouble = sim::mpi_trouble();
  if (trouble.empty()) return {"mpi", version + "; lib/dbandit/modules/mpi.so can be loaded", ""};
  return {"mpi", fmt::format("{}; {}", version, trouble), "apt install libopenmpi-dev, then cmake --preset release -DDBANDIT_MPI=ON"};
}

Finding gnuplot() {
  const auto program = on_the_path("gnuplot");
  if (!program) return {"gnuplot", "not installed: no figures", "apt install gnuplot-nox"};
  return {"gnuplot", version_of(*program), ""};
}

constexpr auto kChecks = std::to_array<Finding (*)()>(
    {program, compiler, libraries, cpu, targets, cores, load, governor, huge_pages, memory, benchmark_library, mpi, gnuplot});

struct Flags {
  bool json = false;
  ColorFlag color;
};

ExitCode doctor(const Flags& flags) {
  const report::Style style = flags.color.style();
  std::vector<Finding> findings;
  for (const auto check : kChecks) findings.push_back(check());
  print(flags.json ? report::findings_json(findings, "dbandit.doctor.v1")
                   : report::findings_text(findings, "none changes a number that dbandit prints", style));
  return ExitCode::done;
}

}  // namespace

Action declare_doctor(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.flag("--json", flags->json, "print one JSON document (dbandit.doctor.v1)", "Output");
  flags->color.declare(command);
  return [flags] { return doctor(*flags); };
}

}  // namespace dbandit::cli
