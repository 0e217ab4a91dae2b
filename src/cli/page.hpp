#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "text_option.hpp"

namespace dbandit::cli {

/// --report: the page of what a command has stored. A command declares it, calls `check` before it works and `write` with its
/// folders after.
class ReportFlag {
 public:
  void declare(Usage& command);
  /// Throws UserError when it was given and this program has no page, before anything has been computed for it.
  void check() const;
  [[nodiscard]] bool given() const { return given_; }
  /// Writes the page of the folders, if asked to, and returns the line that says so: nothing when not.
  [[nodiscard]] std::string write(std::span<const std::filesystem::path> folders, const std::filesystem::path& where) const;

 private:
  bool given_ = false;
};

/// Writes the page of result folders, of runs and sweeps alike.
void write_page(std::span<const std::filesystem::path> folders, const std::filesystem::path& file);

}  // namespace dbandit::cli
