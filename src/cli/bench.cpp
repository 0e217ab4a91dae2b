#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "child.hpp"
#include "command.hpp"
#include "core/clock.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/report/directory.hpp"
#include "report/gnuplot.hpp"
#include "report/throughput.hpp"
#include "sim/machine.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  bool quick = false, smoke = false;
  TextOption out, compare;
  ColorFlag color;
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

/// Benchmarks are built beside the program: in its folder, or in the build tree's.
fs::path program_path(const std::string& name) {
  std::error_code error;
  const fs::path home = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {home, home.parent_path() / "bench"}) {
    if (::access((folder / name).c_str(), X_OK) == 0) return folder / name;
  }
  throw UserError(
      fmt::format("bench: {} is not built; './run.sh bench' builds it, or 'ninja dbandit_benchmarks' in the build tree "
                  "(Debian: libbenchmark-dev)",
                  name));
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
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  std::string what_;
  Clock::time_point start_ = Clock::now();
};

/// Its standard output. A benchmark that fails has found a wrong kernel or is broken: no figure of that run is worth keeping.
std::string output_of(const std::string& name, const std::vector<std::string>& arguments, const std::stop_token& stop, const Steps& steps) {
  ChildOutcome outcome = run_child(program_path(name), arguments, stop, [&](std::string_view line) { steps.detail(line); });
  if (stop.stop_requested()) throw UserError("interrupted: nothing was written", ExitCode::interrupted);
  if (outcome.exit != 0) throw std::runtime_error(fmt::format("{} ended with {}: {}", name, outcome.exit, outcome.err));
  return std::move(outcome.out);
}

/// Draws what can be drawn and says what cannot; the names of the files that are there.
std::vector<std::string> draw(const report::Throughput& found, const fs::path& folder) {
  std::vector<std::string> drawn;
  for (const report::Plot& plot : report::throughput_plots(found)) {
    std::error_code ignored;
    fs::remove(folder / (plot.stem + ".svg"), ignored);  // an old picture beside new figures would lie
    const auto complaint = report::draw(plot.drawing, folder, plot.stem);
    fs::remove(folder / (plot.stem + ".png"), ignored);
    if (!complaint) {
      drawn.push_back(plot.stem + ".svg");
      continue;
    }
    print(fmt::format("{}.svg was not drawn: {}\n", plot.stem, complaint->substr(0, complaint->find(", then "))));
    if (complaint->find("not installed") != std::string::npos) break;  // the others would say the same
  }
  return drawn;
}

ExitCode bench(const Flags& flags) {
  const report::Style style = flags.color.style();
  const Effort& effort = flags.smoke ? kSmoke : flags.quick ? kQuick : kFull;
  std::optional<report::Earlier> earlier;
  if (const std::string* path = flags.compare.value()) earlier = report::read_summary(*path);
  const fs::path out = flags.out.value() != nullptr ? *flags.out.value() : "results/throughput";
  const auto all = programs();
  for (const Program& program : all) program_path(fmt::format("bench_{}", program.name));
  report::Directory directory(out), raw(out / "raw");

  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  report::Throughput found;
  found.command = flags.quick ? "dbandit bench --quick" : "dbandit bench";
  found.load_before = sim::load_average();
  std::vector<report::File> raw_files;
  {
    Steps steps(1 + all.size());
    steps.next("ratios, both sides in turn");
    std::vector<std::string> arguments{"--progress", "--passes", std::string(effort.passes)};
    if (flags.smoke) arguments = {"--smoke"};
    const std::string ratios = output_of("bench_ratios", arguments, interrupt.token(), steps);
    found.ratios = report::read_ratios(ratios);
    raw_files.push_back({"ratios.json", ratios});
    for (const Program& program : all) {
      steps.next(program.question);
      arguments = {"--benchmark_format=json", fmt::format("--benchmark_repetitions={}", effort.repetitions),
                   fmt::format("--benchmark_min_time={}", effort.least_seconds), "--benchmark_enable_random_interleaving=true"};
      const std::string& filter = flags.smoke ? program.smoke : flags.quick ? program.quick : std::string();
      if (!filter.empty()) arguments.push_back("--benchmark_filter=" + filter);
      const std::string json = output_of(fmt::format("bench_{}", program.name), arguments, interrupt.token(), steps);
      std::ranges::move(report::read_measurements(json), std::back_inserter(found.measurements));
      raw_files.push_back({fmt::format("{}.json", program.name), report::raw_measurements(json)});
    }
  }
  found.load_after = sim::load_average();
  found.seconds = seconds_since(start);
  found.cpu = report::cpu_name();
  found.cores = sim::cores().usable();

  raw.write(raw_files);
  const auto plots = draw(found, out);
  directory.write(std::array<report::File, 2>{
      {{"summary.json", report::throughput_json(found)}, {"README.md", report::throughput_readme(found, plots)}}});
  print(report::throughput_table(found, style));
  if (const std::string warning = report::busy_warning(found); !warning.empty()) print(style.bold("warning: " + warning) + "\n");
  if (earlier) print("\n" + report::throughput_changes(*earlier, found, style));
  print(fmt::format("written to {}\n", out.string()));
  return ExitCode::done;
}

}  // namespace

Action declare_bench(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.flag("--quick", flags->quick, "fewer measurements and repetitions: some two minutes instead of some eight", Usage::kGeneral);
  flags->out.declare(command, "--out", folder(), "where summary.json, README.md, plots and raw figures go; default results/throughput",
                     "Output");
  flags->compare.declare(command, "--compare", file("OLD.json"), "an earlier summary.json: says what became slower since", "Output");
  flags->color.declare(command);
  command.flag("--smoke", flags->smoke, "", "");  // for the tests: everything once, the figures mean nothing
  return [flags] { return bench(*flags); };
}

}  // namespace dbandit::cli
