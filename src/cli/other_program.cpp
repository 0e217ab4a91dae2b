#include "other_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <system_error>
#include <vector>

#include "child.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit::cli {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Its standard output without white space at the ends; empty when it failed or is not installed.
std::string answer(const std::vector<std::string>& words, const std::stop_token& stop) {
  try {
    const ChildOutcome outcome = run_child(words.front(), {words.begin() + 1, words.end()}, stop, [](std::string_view) {});
    return outcome.exit == 0 ? std::string(trimmed(outcome.out)) : "";
  } catch (const std::system_error&) {
    return "";
  }
}

}  // namespace

fs::path this_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path other_program(const std::string& given, const std::stop_token& stop, const std::function<void(std::string_view)>& told) {
  std::error_code ignored;
  if (is_program(given)) return fs::absolute(given);
  const std::string commit = answer({"git", "rev-parse", "--verify", "--quiet", "--end-of-options", given + "^{commit}"}, stop);
  const std::string top = answer({"git", "rev-parse", "--show-toplevel"}, stop);
  if (commit.empty() || top.empty()) {
    throw UserError(
        fmt::format("--against: {} is neither a program nor a commit of the checkout in which you are", dbandit::quoted(given)));
  }
  const fs::path folder = fs::path(top) / "build/against" / commit.substr(0, 12);
  fs::path program = folder / "build/release/src/dbandit";
  if (is_program(program)) return program;
  fs::remove_all(folder, ignored);  // what an interrupted build has left
  const std::string source = folder.string();
  const std::vector<std::vector<std::string>> steps{
      {"git", "clone", "--quiet", "--shared", "--no-checkout", top, source},
      {"git", "-C", source, "checkout", "--quiet", "--detach", commit},
      {"cmake", "-E", "chdir", source, "cmake", "--preset", "release", "-DDBANDIT_BUILD_TESTS=OFF", "-DDBANDIT_BUILD_BENCHMARKS=OFF"},
      {"cmake", "--build", source + "/build/release", "--target", "dbandit"}};
  told(fmt::format("building {} in {}", commit.substr(0, 12), source));
  for (const std::vector<std::string>& words : steps) {
    const ChildOutcome outcome = run_child(words.front(), {words.begin() + 1, words.end()}, stop, [](std::string_view) {});
    if (stop.stop_requested()) throw UserError("interrupted: nothing was compared", ExitCode::interrupted);
    if (outcome.exit == 0) continue;
    // What cmake and ninja say of a failure is long: its first lines, on one.
    const std::string_view said = trimmed(outcome.err.empty() ? outcome.out : outcome.err);
    throw UserError(
        fmt::format("--against: '{}' failed with {} in {}: {}", fmt::join(words, " "), outcome.exit, source, said.substr(0, 300)),
        ExitCode::failure);
  }
  if (!is_program(program)) throw UserError(fmt::format("--against: {} builds no {}", commit.substr(0, 12), program.string()));
  return program;
}

}  // namespace dbandit::cli
