#include "dbandit/core/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

bool read_all(const Descriptor& file, std::string& bytes) {
  bytes.clear();
  char buffer[65536];
  while (true) {
    const ssize_t got = repeated([&] { return ::read(file.get(), buffer, sizeof buffer); });
    if (got < 0) return false;
    if (got == 0) return true;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

void fail_io(const std::filesystem::path& path, std::string_view what, int error) {
  throw UserError("'" + path.string() + "': " + std::string(what) + ": " + std::generic_category().message(error), ExitCode::io);
}

}  // namespace dbandit
