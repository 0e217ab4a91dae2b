#include "core/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include "dbandit/core/error.hpp"

namespace dbandit {

namespace {

/// Signals come one by one: a call that is interrupted a thousand times in a row is broken.
template <class Call>
auto repeated(Call call) {
  auto answer = call();
  for (int tries = 0; answer < 0 && errno == EINTR && tries < 1000; ++tries) answer = call();
  return answer;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags)
    : fd_(repeated([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); })) {}

bool Descriptor::close() {
  if (fd_ < 0) return true;
  // Linux has closed the descriptor even when a signal interrupts the call: to repeat it could close a stranger's.
  return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = repeated([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool sync(const Descriptor& file) {
  return repeated([&] { return ::fsync(file.get()); }) == 0;
}

bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return repeated([&] { return ::rename(from.c_str(), to.c_str()); }) == 0;
}

void remove_abandoned(const std::filesystem::path& folder, std::string_view begin, std::string_view end) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    const std::string found = entry->path().filename();
    if (!found.starts_with(begin) || !found.ends_with(end) || found.size() <= begin.size() + end.size()) continue;
    const char* const digits = found.data() + begin.size();
    const char* const after = found.data() + found.size() - end.size();
    pid_t process = 0;
    const auto [stop, wrong] = std::from_chars(digits, after, process);
    const bool gone = wrong == std::errc() && stop == after && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
    if (gone) ::unlink(entry->path().c_str());
  }
}

Input read_input(const std::filesystem::path& path, std::size_t largest, std::string_view beginning) {
  const auto failed = [] {
    return Input{.bytes = {}, .wrong = "cannot be read: " + std::generic_category().message(errno), .error = errno};
  };
  const auto refused = [](std::string why) { return Input{.bytes = {}, .wrong = std::move(why), .error = 0}; };
  // Opened by its name, a pipe whose writer is done already would be waited for; the descriptor that is open still has its bytes.
  const bool standard_input = path == "/dev/stdin";
  const Descriptor file = standard_input ? Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1))
                                         : Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return failed();
  if (S_ISDIR(status.st_mode)) return refused("is a folder");
  if (!S_ISREG(status.st_mode) && !standard_input) {
    return refused(S_ISFIFO(status.st_mode) ? "is a pipe; write it to a file, or send it to /dev/stdin" : "is not a regular file");
  }
  const std::string too_long = "is longer than the " + std::to_string(largest) + " bytes that are allowed";
  if (S_ISREG(status.st_mode) && static_cast<std::uintmax_t>(status.st_size) > largest) return refused(too_long);
  Input input;
  char buffer[65536];
  while (true) {
    const ssize_t got = repeated([&] { return ::read(file.get(), buffer, sizeof buffer); });
    if (got < 0) return failed();
    if (got == 0) return input;
    input.bytes.append(buffer, static_cast<std::size_t>(got));
    if (input.bytes.size() >= beginning.size() && !input.bytes.starts_with(beginning)) return input;
    if (input.bytes.size() > largest) return refused(too_long);  // files of /proc have size 0, and a file may grow
  }
}

void fail_io(const std::filesystem::path& path, std::string_view what, int error) {
  throw UserError("'" + path.string() + "': " + std::string(what) + ": " + std::generic_category().message(error), ExitCode::io);
}

}  // namespace dbandit
