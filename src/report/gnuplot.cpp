#include "report/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <system_error>

#include "core/file.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMissing =
    "gnuplot is not installed, so nothing was drawn; 'apt-get install gnuplot-nox', then 'dbandit plot' draws it";

struct Format {
  std::string_view extension;
  std::string_view terminal;  ///< with {0} by {1} pixels, {2} by {3} inches
};
constexpr std::array<Format, 3> kFormats{{
    {"svg", "svg size {0},{1} dynamic enhanced font 'sans-serif,15' background '#ffffff'"},
    {"png", "pngcairo size {0},{1} enhanced font 'sans-serif,11' background '#ffffff'"},
    {"pdf", "pdfcairo size {2:.2f}in,{3:.2f}in enhanced font 'sans-serif,11' background '#ffffff'"},
}};
constexpr double kPixelsPerInch = 96;

/// An unnamed file in memory, for what a child reads and writes: a pipe could fill up while nobody reads.
class Scrap {
 public:
  Scrap() : fd_(::memfd_create("gnuplot", MFD_CLOEXEC)) {}
  ~Scrap() {
    if (fd_ >= 0) ::close(fd_);
  }
  Scrap(const Scrap&) = delete;
  Scrap& operator=(const Scrap&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  [[nodiscard]] std::string first_line() const {
    std::string text(400, '\0');
    const ssize_t size = ::pread(fd_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
    return text.substr(begin, text.find('\n', begin) - begin);
  }

 private:
  int fd_;
};

/// Runs gnuplot in `folder`; none when it went well.
std::optional<std::string> gnuplot(const std::string& script, const fs::path& folder) {
  const Scrap input, messages;
  input.write(script);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.get(), STDERR_FILENO);
  std::array<char*, 2> arguments{const_cast<char*>("gnuplot"), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::string(kMissing);
  if (error != 0) return "gnuplot could not be started: " + std::generic_category().message(error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return "gnuplot failed: " + messages.first_line();
}

}  // namespace

std::string plot_text(std::string_view text) {
  // Two quotes in a row are a quote to gnuplot, but not at the beginning of a string nor after another two: so none is ever written.
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "’";
    } else {
      quoted += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    }
  }
  return quoted + "'";
}

std::string plot_data(std::string_view name, const std::vector<std::vector<double>>& rows) {
  std::string text = fmt::format("${} << EOD\n", name);
  for (const auto& row : rows) {
    std::string_view separator;
    for (const double value : row) {
      fmt::format_to(std::back_inserter(text), "{}{}", separator, std::isfinite(value) ? fmt::format("{:.8g}", value) : "NaN");
      separator = " ";
    }
    text += '\n';
  }
  return text + "EOD\n";
}

std::span<const std::string_view> figure_extensions() {
  static constexpr auto kExtensions = [] {
    std::array<std::string_view, kFormats.size()> names{};
    std::ranges::transform(kFormats, names.begin(), &Format::extension);
    return names;
  }();
  return kExtensions;
}

std::optional<std::string> draw(const Drawing& drawing, const fs::path& folder, const std::string& stem,
                                std::span<const std::string_view> extensions) {
  for (const Format& format : kFormats) {
    if (std::ranges::find(extensions, format.extension) == extensions.end()) continue;
    remove_abandoned(folder, ".figure.", fmt::format(".{}", format.extension));
    const std::string passing = fmt::format(".figure.{}.{}", ::getpid(), format.extension);  // no name of the caller's is in the script
    const std::string script = fmt::format("set terminal {}\nset output {}\nset encoding utf8\n{}\nunset output\n",
                                           fmt::format(fmt::runtime(format.terminal), drawing.width, drawing.height,
                                                       drawing.width / kPixelsPerInch, drawing.height / kPixelsPerInch),
                                           plot_text(passing), drawing.script);
    std::error_code error;
    auto complaint = gnuplot(script, folder);
    if (!complaint) {
      fs::rename(folder / passing, folder / (stem + "." + std::string(format.extension)), error);
      if (error) complaint = fmt::format("'{}': {}", (folder / stem).string(), error.message());
    }
    if (complaint) {
      fs::remove(folder / passing, error);
      return complaint;
    }
  }
  return std::nullopt;
}

}  // namespace dbandit::report
