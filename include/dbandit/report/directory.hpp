#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/result.hpp"

namespace dbandit::report {

struct File {
  std::string name;
  std::string content;
};

/// A folder that takes results. Opening it creates it and proves that it can be written, so that a run does not learn
/// at its end that its numbers have no place to go. A folder that was created here and got no file is removed again.
/// Every failure is a UserError with ExitCode::io.
class Directory {
 public:
  explicit Directory(std::filesystem::path path);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  /// Writes all files, each whole or not at all: every one reaches the disk under a passing name before the first takes
  /// its own, so a full disk leaves what was there before.
  void write(std::span<const File> files);
  /// Something else was put there: it stays.
  void keep() { created_.clear(); }

 private:
  std::filesystem::path path_;
  void remove_created();

  std::vector<std::filesystem::path> created_;  ///< by us, outermost first; forgotten once something was written
};

/// spec.toml, curve.csv, band.csv, distribution.csv, summary.json, manifest.json.
std::vector<File> result_files(const sim::Result& result, const Manifest& manifest);

}  // namespace dbandit::report
