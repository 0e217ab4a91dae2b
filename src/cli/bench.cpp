#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "command.hpp"
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

/// The benchmarks are in the program's folder, in the build tree's or, installed, in lib/dbandit.
fs::path bench_program() {
  std::error_code error;
  const fs::path home = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {home, home.parent_path() / "bench", home.parent_path() / "lib/dbandit"}) {
    if (::access((folder / "bench_all").c_str(), X_OK) == 0) return folder / "bench_all";
  }
  throw UserError(
      "bench: the benchmarks are not built; './run.sh bench' builds them, or 'ninja dbandit_benchmarks' in the build tree "
      "(Debian: libbenchmark-dev)");
}

/// This process becomes bench_all, which runs the others: what it takes is what was given here.
ExitCode bench(const Flags& flags) {
  const report::Style style = flags.color.style();
  const std::string *out = flags.out.value(), *compare = flags.compare.value();
  const std::string program = bench_program().string();
  ::execl(program.c_str(), program.c_str(),
          flags.smoke   ? "smoke"
          : flags.quick ? "quick"
                        : "full",
          out != nullptr ? out->c_str() : "results/throughput", compare != nullptr ? compare->c_str() : "-",
          style.color ? "color" : "plain", nullptr);
  throw UserError(fmt::format("bench: '{}': {}", program, std::generic_category().message(errno)), ExitCode::failure);
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
