#include "frames.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "dbandit/core/error.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dbandit::sim {

namespace {

constexpr std::string_view kMagic = "dbandit\n";
constexpr std::string_view kRecord = "sums";
constexpr std::uint32_t kFormat = 2;
constexpr std::size_t kHeaderStart = kMagic.size() + 4 + 4;
constexpr std::size_t kRecordStart = kRecord.size() + 4 + 8;
constexpr std::size_t kSum = 8;

template <class T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint64_t sum_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// A length has a check of its own: without one a flipped bit in it would look like a file that was cut off.
std::uint32_t check_of(std::uint64_t length) { return static_cast<std::uint32_t>(XXH3_64bits(&length, sizeof length)); }

bool is_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
}

}  // namespace

void refuse_damage(const std::string& name, std::size_t at, std::string_view what) {
  throw UserError(fmt::format("'{}': damaged at byte {}: {}; delete it to start over", name, at, what), ExitCode::damaged);
}

std::string header_frame(std::string_view content) {
  std::string frame(kMagic);
  put(frame, kFormat);
  put(frame, static_cast<std::uint32_t>(content.size()));
  frame += content;
  put(frame, sum_of(frame));
  return frame;
}

std::string record_frame(std::string_view content) {
  std::string frame(kRecord);
  put(frame, check_of(content.size()));
  put(frame, std::uint64_t{content.size()});
  frame += content;
  put(frame, sum_of(content));
  return frame;
}

Frames read_frames(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kHeaderStart || !bytes.starts_with(kMagic)) refuse_damage(name, 0, "not the beginning of a checkpoint");
  const auto format = get<std::uint32_t>(bytes, kMagic.size());
  const std::size_t end = kHeaderStart + get<std::uint32_t>(bytes, kMagic.size() + 4);
  if (end + kSum > bytes.size()) refuse_damage(name, kMagic.size(), "a header longer than the file");
  if (get<std::uint64_t>(bytes, end) != sum_of(bytes.substr(0, end))) refuse_damage(name, 0, "the header does not match its checksum");
  if (format != kFormat) {
    throw UserError(fmt::format("'{}': written in format {}, this program reads {}; delete it to start over", name, format, kFormat),
                    ExitCode::mismatch);
  }
  Frames frames{.header = bytes.substr(kHeaderStart, end - kHeaderStart), .records = {}, .bytes = end + kSum, .notice = {}};
  while (frames.bytes < bytes.size()) {
    const std::string_view rest = bytes.substr(frames.bytes);
    // Zeros to the end are what a file system leaves that lost power before it had written what it had promised room for.
    const bool cut = rest.size() < kRecordStart || is_zero(rest);
    const std::uint64_t length = cut ? 0 : get<std::uint64_t>(rest, 8);
    if (!cut && (!rest.starts_with(kRecord) || get<std::uint32_t>(rest, kRecord.size()) != check_of(length))) {
      refuse_damage(name, frames.bytes, "not the beginning of a record");
    }
    const std::size_t room = cut ? 0 : rest.size() - kRecordStart;
    if (cut || room < kSum || length > room - kSum) {
      frames.notice = fmt::format("'{}': the last {} bytes are not a whole record and were dropped", name, rest.size());
      break;
    }
    const std::string_view content = rest.substr(kRecordStart, length);
    if (get<std::uint64_t>(rest, kRecordStart + content.size()) != sum_of(content)) {
      refuse_damage(name, frames.bytes, "the record does not match its checksum");
    }
    frames.records.push_back(content);
    frames.bytes += kRecordStart + content.size() + kSum;
  }
  return frames;
}

Descriptor lock_folder(const std::filesystem::path& folder) {
  Descriptor lock(folder, O_RDONLY | O_DIRECTORY);
  if (!lock.is_open()) fail_io(folder, "cannot be opened", errno);
  // Some network file systems lock no folders: there the user has to see to it.
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UserError(fmt::format("'{}': another process is running in it", folder.string()), ExitCode::busy);
  }
  return lock;
}

Descriptor replace_file(const std::filesystem::path& path, const Descriptor& folder, std::string_view bytes) {
  const std::filesystem::path passing = path.string() + ".tmp";
  Descriptor file(passing, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW);
  if (!file.is_open() || !write_all(file, bytes) || !sync(file) || !rename_file(passing, path) || !sync(folder)) {
    const int error = errno;
    ::unlink(passing.c_str());
    fail_io(path, "cannot be written", error);
  }
  return file;
}

std::optional<std::string> read_stored(const std::filesystem::path& path) {
  Input input = read_input(path, kLargestCheckpoint, kMagic);
  if (input.error == ENOENT) return std::nullopt;
  if (input.error != 0) fail_io(path, "cannot be read", input.error);
  if (!input.wrong.empty())
    throw UserError(fmt::format("'{}': {}; delete it to start over", path.string(), input.wrong), ExitCode::damaged);
  return std::move(input.bytes);
}

}  // namespace dbandit::sim
