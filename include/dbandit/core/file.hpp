#pragma once

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
/// All that is left to read.
bool read_all(const Descriptor& file, std::string& bytes);

/// Throws UserError "'path': what: why errno says so", ExitCode::io.
[[noreturn]] void fail_io(const std::filesystem::path& path, std::string_view what, int error);

}  // namespace dbandit
