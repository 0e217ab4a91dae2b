#include "child.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

namespace dbandit::cli {
namespace {

/// A file in memory that takes what a child writes: unlike a pipe it never makes the child wait.
class Catch {
 public:
  Catch() : fd_(::memfd_create("output", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd");
  }
  ~Catch() { ::close(fd_); }
  Catch(const Catch&) = delete;
  Catch& operator=(const Catch&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    char buffer[65536];
    for (ssize_t n; (n = ::pread(fd_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int fd_;
};

std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

ChildOutcome run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments, const std::stop_token& stop,
                       const std::function<void(std::string_view)>& waiting) {
  const Catch out, err;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), program.string());

  using std::chrono::microseconds;
  microseconds pause{1000};  // short for a short child, rare enough not to disturb a long one
  bool asked_to_end = false;
  int status = 0;
  rusage used{};
  for (;;) {
    const pid_t ended = ::wait4(child, &status, WNOHANG, &used);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (stop.stop_requested() && !asked_to_end) {
      ::kill(child, SIGTERM);
      asked_to_end = true;
    }
    waiting(last_line(err.text()));
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 6 / 5, microseconds{200'000});
  }
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return {.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = out.text(),
          .err = err.text(),
          .cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime)};
}

}  // namespace dbandit::cli
