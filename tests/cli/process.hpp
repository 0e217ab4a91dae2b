#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// Runs the real program, as a shell would.
namespace dbandit::test {

struct Outcome {
  int exit = -1;  ///< 128 + signal when it was killed, as shells count
  long peak_kilobytes = 0;
  std::string out, err;
};

struct Circumstances {
  std::optional<int> standard_output = {};              ///< none: caught in `out`
  std::optional<int> standard_error = {};               ///< none: caught in `err`
  std::map<std::string, std::string> environment = {};  ///< on top of ours
  std::optional<rlim_t> largest_file = {};              ///< RLIMIT_FSIZE
  std::optional<rlim_t> address_space = {};             ///< RLIMIT_AS
  std::vector<int> closed = {};                         ///< descriptors that are not open when it starts
  unsigned patience = 0;                                ///< seconds after which SIGALRM ends it (exit 142); 0: none
  bool hangup_ignored = false;                          ///< as nohup does
  std::filesystem::path directory = {};                 ///< where it runs
  std::optional<std::chrono::milliseconds> interrupt_after = {};
  std::string interrupt_once_said = {};  ///< these words on standard error, however slow the machine; after a minute in any case
  int interrupt_by = SIGINT;
  bool interrupt_again = false;            ///< by a SIGTERM, half a second later
  std::vector<std::string> launcher = {};  ///< what starts the program, as in mpirun -n 3
};

inline std::string read_descriptor(int fd) {
  std::string text;
  char buffer[4096];
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  ::close(fd);
  return text;
}

/// Until a file that another process writes contains the words.
inline void await(int fd, const std::string& words) {
  for (int tick = 0; tick < 600; ++tick, std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    std::string text(1 << 16, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(::pread(fd, text.data(), text.size(), 0), 0)));
    if (text.find(words) != std::string::npos) return;
  }
}

inline Outcome dbandit(const std::vector<std::string>& arguments, const Circumstances& in = {}) {
  const int out = in.standard_output ? *in.standard_output : ::memfd_create("out", 0);
  const int err = in.standard_error ? *in.standard_error : ::memfd_create("err", 0);
  std::vector<char*> argv;
  for (const std::string& word : in.launcher) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(const_cast<char*>(in.launcher.empty() ? "dbandit" : DBANDIT_PROGRAM));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::setenv("HWLOC_HIDE_ERRORS", "2", 0);  // a library of Open MPI complains where there is no /sys, as in a clean root
    for (const auto& [name, value] : in.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!in.directory.empty() && ::chdir(in.directory.c_str()) != 0) ::_exit(99);
    if (in.largest_file) {
      const rlimit limit{*in.largest_file, *in.largest_file};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (in.address_space) {
      const rlimit limit{*in.address_space, *in.address_space};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    ::signal(SIGHUP, in.hangup_ignored ? SIG_IGN : SIG_DFL);
    ::alarm(in.patience);
    for (const int fd : in.closed) ::close(fd);
    if (!in.launcher.empty()) ::execvp(argv.front(), argv.data());
    ::execv(DBANDIT_PROGRAM, argv.data());
    ::_exit(98);
  }
  if (!in.interrupt_once_said.empty()) await(err, in.interrupt_once_said);
  if (in.interrupt_after || !in.interrupt_once_said.empty()) {
    std::this_thread::sleep_for(in.interrupt_after.value_or(std::chrono::milliseconds(0)));
    ::kill(child, in.interrupt_by);
    if (in.interrupt_again) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      ::kill(child, SIGTERM);
    }
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  Outcome outcome;
  outcome.peak_kilobytes = usage.ru_maxrss;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!in.standard_output) outcome.out = read_descriptor(out);
  if (!in.standard_error) outcome.err = read_descriptor(err);
  return outcome;
}

/// A terminal that remembers the little it is shown.
class Terminal {
 public:
  Terminal() : screen_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    ::grantpt(screen_);
    ::unlockpt(screen_);
    line_ = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    ::close(line_);
    ::close(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] std::string shown() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(screen_, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }

 private:
  int screen_, line_;
};

/// A folder of its own, gone at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "dbandit-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

inline std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A small problem on which every policy can run.
inline std::vector<std::string> small_run(const std::string& policies = "d-klucb,ud-ucb,uniform") {
  return {"run",        "--theta", "0.5,0.3",    "--delay", "geometric:5", "--censor", "10",     "--horizon", "60",
          "--policies", policies,  "--replicas", "300",     "--at",        "10,30,60", "--seed", "7"};
}

}  // namespace dbandit::test
