#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "against.hpp"
#include "command.hpp"
#include "core/text.hpp"
#include "other_program.hpp"
#include "percentage.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  bool quick = false, smoke = false;
  TextOption out, against, threshold, time;
  ColorFlag color;
};

/// The benchmarks are in the program's folder, in the build tree's or, installed, in lib/dbandit.
fs::path bench_program() {
  const fs::path home = this_program().parent_path();
  for (const fs::path& folder : {home, home.parent_path() / "bench", home.parent_path() / "lib/dbandit"}) {
    if (::access((folder / "bench_all").c_str(), X_OK) == 0) return folder / "bench_all";
  }
  throw UserError(
      "bench: the benchmarks are not built; './run.sh bench' builds them, or 'ninja dbandit_benchmarks' in the build tree "
      "(Debian: libbenchmark-dev)");
}

constexpr double kSeconds = 120, kThreshold = 0.02;

Against against(const Flags& flags, const report::Style& style) {
  if (flags.quick || flags.out.value() != nullptr) throw UserError("--against: takes neither --quick nor --out; it prints a table");
  const std::string* text = flags.time.value();
  const double seconds = text == nullptr ? kSeconds : parse_number<double>(*text).value_or(0);
  if (!(seconds > 0 && seconds <= 86400))
    throw UserError(fmt::format("--time: {} is not a number of seconds above 0, up to 86400", dbandit::quoted(*text)));
  return {.other = *flags.against.value(),
          .threshold = percentage(flags.threshold, kThreshold, "--threshold", "the time"),
          .seconds = seconds,
          .smoke = flags.smoke,
          .style = style};
}

/// This process becomes bench_all, which runs the others: what it takes is what was given here.
ExitCode bench(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.against.value() != nullptr) return bench_against(against(flags, style));
  if (flags.threshold.value() != nullptr || flags.time.value() != nullptr) throw UserError("--threshold and --time: belong to --against");
  const std::string* out = flags.out.value();
  const std::string program = bench_program().string();
  ::execl(program.c_str(), program.c_str(),
          flags.smoke   ? "smoke"
          : flags.quick ? "quick"
                        : "full",
          out != nullptr ? out->c_str() : "results/throughput", style.color ? "color" : "plain", nullptr);
  throw UserError(fmt::format("bench: '{}': {}", program, std::generic_category().message(errno)), ExitCode::failure);
}

}  // namespace

Action declare_bench(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.flag("--quick", flags->quick, "fewer measurements and repetitions: some two minutes instead of twenty", Usage::kGeneral);
  flags->out.declare(command, "--out", folder(), "where summary.json, README.md, plots and raw figures go; default results/throughput",
                     "Output");
  const std::string group = "Against another program";
  flags->against.declare(command, "--against", file("OTHER"),
                         "another dbandit, or a commit of this checkout, which is built: what became slower or faster against it", group);
  flags->threshold.declare(command, "--threshold", "PERCENT",
                           "a change of at most so many percent (2 or 2%) is none; the exit code is 3 when something is slower beyond it; "
                           "default 2",
                           group);
  flags->time.declare(command, "--time", "SECONDS",
                      "repeat for at most so long; ends before when every ratio is known within an interval of 2 %; default 120", group);
  flags->color.declare(command);
  command.flag("--smoke", flags->smoke, "", "");  // for the tests: everything once, the figures mean nothing
  return [flags] { return bench(*flags); };
}

}  // namespace dbandit::cli
