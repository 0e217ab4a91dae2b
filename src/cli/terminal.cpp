#include "terminal.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "redraws.hpp"
#include "sim/mpi.hpp"

namespace dbandit::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool terminal_has_color() { return redraws(STDOUT_FILENO) && !sim::under_mpirun() && !is_set("NO_COLOR"); }

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw ReaderGone{};
    } else if (errno != EINTR) {
      throw UserError("standard output: " + std::generic_category().message(errno), ExitCode::io);
    }
  }
}

std::string written_line(const std::filesystem::path& folder, std::span<const report::File> files) {
  std::string names;
  for (const report::File& file : files) names += (names.empty() ? "" : ", ") + file.name;
  return "written to " + folder.string() + ": " + names + "\n";
}

void note(std::string_view line) {
  const std::string text = "dbandit: " + std::string(line) + '\n';
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void warn(std::span<const std::string> lines) {
  for (const std::string& line : lines) note("warning: " + line);
}

void ColorFlag::declare(Usage& command) {
  option_.declare(command, "--color", choice({"auto", "always", "never"}), "colour in the table; default auto", "Output");
}

report::Style ColorFlag::style() const {
  const std::string* choice = option_.value();
  if (choice == nullptr || *choice == "auto") return {.color = terminal_has_color()};
  if (*choice != "always" && *choice != "never")
    throw UserError("--color: " + dbandit::quoted(*choice) + " is not one of: auto always never");
  return {.color = *choice == "always"};
}

}  // namespace dbandit::cli
