// A library to be preloaded: makes the n-th call of one system call on files below a folder fail, once or from then on.
//   FAIL_UNDER folder  FAIL_CALL open|write|fsync|rename|close  FAIL_NTH n  FAIL_ERROR errno, 0: a short write
//   FAIL_ON 1: all later ones as well  FAIL_MARK file that is created when a call was made to fail
//   TRACE file that takes a line for each such call: "write PATH", "fsync PATH", "rename FROM TO"
//   BACKWARDS 1: every clock goes backwards, a second at each reading
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>

namespace {

std::array<std::atomic<bool>, 1024> watched;
std::array<std::string, 1024> names;  ///< under which the watched ones were opened
std::mutex naming;
std::atomic<int> calls;

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_below(const char* path) {
  const char* folder = setting("FAIL_UNDER");
  return *folder != '\0' && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_watched(int fd) { return fd >= 0 && static_cast<std::size_t>(fd) < watched.size() && watched[static_cast<std::size_t>(fd)]; }

/// Whether this call is to fail; errno is then set.
bool fails(const char* call) {
  if (std::strcmp(call, setting("FAIL_CALL")) != 0) return false;
  const int nth = std::atoi(setting("FAIL_NTH")), now = ++calls;
  if (now != nth && !(now > nth && *setting("FAIL_ON") == '1')) return false;
  const long mark = ::syscall(SYS_openat, AT_FDCWD, setting("FAIL_MARK"), O_WRONLY | O_CREAT, 0666);
  if (mark >= 0) ::syscall(SYS_close, mark);
  errno = std::atoi(setting("FAIL_ERROR"));
  return true;
}

void traced(const std::string& line) {
  const char* file = setting("TRACE");
  if (*file == '\0') return;
  const std::string text = line + "\n";
  const long log = ::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::syscall(SYS_write, log, text.data(), text.size());
  ::syscall(SYS_close, log);
}

void traced(const char* call, int fd) {
  const std::lock_guard lock(naming);
  traced(call + (" " + names[static_cast<std::size_t>(fd)]));
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int opened(const char* name, const char* path, int flags, mode_t mode) {
  const bool below = is_below(path);
  if (below && fails("open")) return -1;
  const int fd = real<int (*)(const char*, int, ...)>(name)(path, flags, mode);
  if (fd >= 0 && static_cast<std::size_t>(fd) < watched.size()) {
    const std::lock_guard lock(naming);
    names[static_cast<std::size_t>(fd)] = below ? path : "";
    watched[static_cast<std::size_t>(fd)] = below;
  }
  return fd;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>(va_arg(rest, int));
  va_end(rest);
  return opened("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>(va_arg(rest, int));
  va_end(rest);
  return opened("open64", path, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const auto call = real<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_watched(fd)) traced("write", fd);
  if (!is_watched(fd) || !fails("write")) return call(fd, bytes, size);
  return errno != 0 ? -1 : call(fd, bytes, (size + 1) / 2);
}

int fsync(int fd) {
  if (is_watched(fd)) traced("fsync", fd);
  return is_watched(fd) && fails("fsync") ? -1 : real<int (*)(int)>("fsync")(fd);
}

int clock_gettime(clockid_t clock, timespec* now) {
  const long answer = ::syscall(SYS_clock_gettime, clock, now);
  static std::atomic<time_t> readings = 0;
  if (*setting("BACKWARDS") == '1') now->tv_sec = std::max<time_t>(0, 1'000'000 - ++readings);
  return static_cast<int>(answer);
}

int rename(const char* from, const char* to) {
  if (is_below(from)) traced(std::string("rename ") + from + " " + to);
  return is_below(from) && fails("rename") ? -1 : real<int (*)(const char*, const char*)>("rename")(from, to);
}

int close(int fd) {
  const bool fail = is_watched(fd) && fails("close");
  const int error = errno;
  const int answer = real<int (*)(int)>("close")(fd);  // as Linux does: closed, whatever it answers
  if (fd >= 0 && static_cast<std::size_t>(fd) < watched.size()) watched[static_cast<std::size_t>(fd)] = false;
  if (fail) errno = error;
  return fail ? -1 : answer;
}
}
