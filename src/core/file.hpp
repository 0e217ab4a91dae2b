#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

/// The few system calls that storing takes, each repeated when a signal interrupts it. They tell success; errno tells the rest.
namespace dbandit {

/// A file or folder that is open; closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const std::filesystem::path& path, int flags);
  /// Takes over one that is open.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { static_cast<void>(close()); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// close(2) may be the call that reports a lost write.
  bool close();

 private:
  int fd_ = -1;
};

bool write_all(const Descriptor& file, std::string_view bytes);
/// Until it is on the disk.
bool sync(const Descriptor& file);
bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes the files BEGIN + number + END of a folder that processes have left which were killed; the number is theirs.
void remove_abandoned(const std::filesystem::path& folder, std::string_view begin, std::string_view end);

/// What became of reading an input.
struct Input {
  std::string bytes;
  std::string wrong;  ///< why it was not read, to follow its name: "is a folder"; empty when it was
  int error = 0;      ///< errno, when a system call failed
};
/// The whole of a file, for every reader of what a user names: a regular file of at most `largest` bytes. Anything else (a FIFO that
/// nobody writes to, /dev/zero) is refused without waiting and without reading; "/dev/stdin" alone may also be a pipe or a terminal.
/// Of a file that does not begin with `beginning` only the first bytes are read, enough to refuse it.
Input read_input(const std::filesystem::path& path, std::size_t largest, std::string_view beginning = {});

/// Throws UserError "'path': what: why errno says so", ExitCode::io.
[[noreturn]] void fail_io(const std::filesystem::path& path, std::string_view what, int error);

}  // namespace dbandit
