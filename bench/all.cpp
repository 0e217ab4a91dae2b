// `dbandit bench`: runs the benchmark programs beside this one and makes pages of what they found.
//   bench_all full|quick|smoke OUT color|plain
// smoke is for the tests: everything once, and the figures mean nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/child.hpp"
#include "cli/interrupt.hpp"
#include "cli/redraws.hpp"
#include "core/clock.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/report/manifest.hpp"
#include "pages/throughput.hpp"
#include "report/gnuplot.hpp"
#include "sim/machine.hpp"

namespace dbandit::bench {
namespace {

namespace fs = std::filesystem;

struct Asked {
  std::string_view effort;
  fs::path out;
  report::Style style;
};

/// How much is measured.
struct Effort {
  std::string_view passes, repetitions, least_seconds;
};
constexpr Effort kFull{"41", "5", "0.1"}, kQuick{"9", "3", "0.02"}, kSmoke{"1", "1", "0.0001"};

/// A benchmark program, and which of its measurements a quick run and a smoke test make; empty: all.
struct Program {
  std::string_view name, question;
  std::string quick, smoke;
};

std::vector<Program> programs() {
  const std::string best(kernel::best_target().name);
  return {
      {"index", "what one KL index costs", "", "index/(direct|reference)/"},
      {"exposure", "what the exposure costs", "/(" + best + "|scalar)/", best + "/(m10|m100)/K3/"},
      {"floor", "how far from the machine's limit", "", "/" + best + "/"},
      {"world", "what draws, delays and the calendar cost", "/(" + best + "|scalar)", "world/words/"},
      {"engine", "what a replica-round of each policy costs", "engine/d-(ucb|klucb)/censored/.*/K[0-9]+/process|/" + best + "/K3/|/scalar/",
       "engine/uniform/censored/" + best + "/K(2|3)/"},
      {"scaling", "whether the cost stays flat", "-(replicas/1000000|horizon/10000000)/", "horizon/1000/"},
  };
}

/// Throws UserError for one that is not built.
fs::path program_path(const std::string& name) {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  if (::access(path.c_str(), X_OK) == 0) return path;
  throw UserError(fmt::format("bench: {} is not built; 'ninja dbandit_benchmarks' in the build tree builds it", name));
}

/// Says on standard error what is being measured: on a terminal in place and with the time that has passed, else a line each.
class Steps {
 public:
  explicit Steps(std::size_t all) : all_(all) {}
  ~Steps() { wipe(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void next(std::string_view what) {
    what_ = fmt::format("[{}/{}] {}", ++step_, all_, what);
    start_ = Clock::now();
    if (terminal_) {
      detail({});
    } else {
      write(what_ + "\n");
    }
  }
  void detail(std::string_view text) const {
    if (!terminal_) return;
    const auto seconds = static_cast<long>(seconds_since(start_));
    write(fmt::format("\r\033[K{}{}{}  {} s", what_, text.empty() ? "" : ": ", text, seconds));
  }
  void wipe() const {
    if (terminal_) write("\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static void write(std::string_view text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }

  std::size_t all_, step_ = 0;
  bool terminal_ = cli::redraws(STDERR_FILENO);
  std::string what_;
  Clock::time_point start_ = Clock::now();
};

/// Its standard output. A benchmark that fails has found a wrong kernel or is broken: no figure of that run is worth keeping.
std::string output_of(const std::string& name, const std::vector<std::string>& arguments, const std::stop_token& stop, const Steps& steps) {
  cli::ChildOutcome outcome = cli::run_child(program_path(name), arguments, stop, [&](std::string_view line) { steps.detail(line); });
  if (stop.stop_requested()) throw UserError("interrupted: nothing was written", ExitCode::interrupted);
  if (outcome.exit != 0) throw std::runtime_error(fmt::format("{} ended with {}: {}", name, outcome.exit, outcome.err));
  return std::move(outcome.out);
}

/// Draws what can be drawn and says what cannot; the names of the files that are there.
std::vector<std::string> draw(const Throughput& found, const fs::path& folder) {
  std::vector<std::string> drawn;
  for (const Plot& plot : throughput_plots(found)) {
    std::error_code ignored;
    fs::remove(folder / (plot.stem + ".svg"), ignored);  // an old picture beside new figures would lie
    const auto complaint = report::draw(plot.drawing, folder, plot.stem);
    fs::remove(folder / (plot.stem + ".png"), ignored);
    if (!complaint) {
      drawn.push_back(plot.stem + ".svg");
      continue;
    }
    fmt::print("{}.svg was not drawn: {}\n", plot.stem, complaint->substr(0, complaint->find(", then ")));
    if (complaint->find("not installed") != std::string::npos) break;  // the others would say the same
  }
  return drawn;
}

void run_all(const Asked& asked) {
  const bool quick = asked.effort == "quick", smoke = asked.effort == "smoke";
  const Effort& effort = smoke ? kSmoke : quick ? kQuick : kFull;
  const fs::path& out = asked.out;
  const auto all = programs();
  for (const Program& program : all) program_path(fmt::format("bench_{}", program.name));
  report::Directory directory(out), raw(out / "raw");

  const cli::Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  Throughput found;
  found.command = quick ? "dbandit bench --quick" : "dbandit bench";
  found.load_before = sim::load_average();
  std::vector<report::File> raw_files;
  {
    Steps steps(1 + all.size());
    steps.next("ratios, both sides in turn");
    std::vector<std::string> arguments{"--progress", "--passes", std::string(effort.passes)};
    if (smoke) arguments = {"--smoke"};
    const std::string ratios = output_of("bench_ratios", arguments, interrupt.token(), steps);
    found.ratios = read_ratios(ratios);
    raw_files.push_back({"ratios.json", ratios});
    for (const Program& program : all) {
      steps.next(program.question);
      arguments = {"--benchmark_format=json", fmt::format("--benchmark_repetitions={}", effort.repetitions),
                   fmt::format("--benchmark_min_time={}", effort.least_seconds), "--benchmark_enable_random_interleaving=true"};
      const std::string& filter = smoke ? program.smoke : quick ? program.quick : std::string();
      if (!filter.empty()) arguments.push_back("--benchmark_filter=" + filter);
      const std::string json = output_of(fmt::format("bench_{}", program.name), arguments, interrupt.token(), steps);
      std::ranges::move(read_measurements(json), std::back_inserter(found.measurements));
      raw_files.push_back({fmt::format("{}.json", program.name), raw_measurements(json)});
    }
  }
  found.load_after = sim::load_average();
  found.seconds = seconds_since(start);
  found.cpu = report::cpu_name();
  found.cores = sim::cores().usable();

  raw.write(raw_files);
  const auto plots = draw(found, out);
  directory.write(std::array<report::File, 2>{{{"summary.json", throughput_json(found)}, {"README.md", throughput_readme(found, plots)}}});
  fmt::print("{}", throughput_table(found, asked.style));
  if (const std::string warning = busy_warning(found); !warning.empty()) {
    fmt::print("{}\n", asked.style.bold("warning: " + warning));
  }
  fmt::print("written to {}\n", out.string());
}

}  // namespace
}  // namespace dbandit::bench

int main(int argc, char** argv) {
  using namespace dbandit;
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() != 4) {
    fmt::print(stderr, "usage: bench_all full|quick|smoke OUT color|plain; 'dbandit bench' runs it\n");
    return static_cast<int>(ExitCode::usage);
  }
  const auto end_with = [](const char* line, ExitCode code) {
    fmt::print(stderr, "dbandit: {}\n", line);
    return static_cast<int>(code);
  };
  try {
    bench::run_all({.effort = words[1], .out = words[2], .style = {.color = words[3] == "color"}});
    return std::fflush(stdout) == 0 ? static_cast<int>(ExitCode::done) : end_with("standard output could not be written", ExitCode::io);
  } catch (const UserError& error) {
    return end_with(error.what(), error.code());
  } catch (const std::exception& error) {
    return end_with(error.what(), ExitCode::failure);
  }
}
