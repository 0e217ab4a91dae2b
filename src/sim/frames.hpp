#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "sim/codec.hpp"

/// Bytes in a file such that every way to lose or to change some of them is noticed.
///
///   header   "dbandit\n", format and length of the content (4 bytes each), the content, 8 bytes of XXH3 of all that
///   record   "sums", 4 bytes that check the length, the length (8 bytes), the content, 8 bytes of XXH3 of the content
///   record   …
namespace dbandit::sim {

std::string header_frame(std::string_view content);
std::string record_frame(std::string_view content);

struct Frames {
  std::string_view header;
  std::vector<std::string_view> records;
  std::size_t bytes = 0;  ///< of the file, as far as it is whole
  std::string notice;     ///< what was dropped at the end, for the user; empty when nothing was
};
/// Throws UserError: ExitCode::damaged, which says at which byte, or ExitCode::mismatch for another format.
Frames read_frames(std::string_view bytes, const std::string& name);

/// The folder, open, for this process alone. Throws UserError: ExitCode::busy when another has it.
Descriptor lock_folder(const std::filesystem::path& folder);
/// Atomic replace (write, fsync, rename); open to append to.
Descriptor replace_file(const std::filesystem::path& path, const Descriptor& folder, std::string_view bytes);
/// None when there is no such file. Throws UserError: ExitCode::damaged when it cannot be one that was written here.
std::optional<std::string> read_stored(const std::filesystem::path& path);
/// Bytes beyond which no checkpoint or shard is read, hence none is written.
inline constexpr std::size_t kLargestCheckpoint = 4'000'000'000;

[[noreturn]] void refuse_damage(const std::string& name, std::size_t at, std::string_view what);

}  // namespace dbandit::sim
