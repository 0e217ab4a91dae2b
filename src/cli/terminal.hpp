#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "dbandit/report/directory.hpp"
#include "report/columns.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// Thrown when whoever read our output has gone: no reason to go on, and none to complain.
struct ReaderGone {};

/// Writes to standard output. Throws UserError (exit 4) when it cannot be written, ReaderGone when nobody reads.
void print(std::string_view text);

/// "written to DIR: spec.toml, curve.csv": the end of a table, for a person.
std::string written_line(const std::filesystem::path& folder, std::span<const report::File> files);

/// One line on standard error about something that is not an error.
void note(std::string_view line);
/// Each as such a line; one that cannot be written is no reason to stop.
void warn(std::span<const std::string> lines);

/// --color auto|always|never; auto: a terminal reads and NO_COLOR is not set.
class ColorFlag {
 public:
  void declare(Usage& command);
  [[nodiscard]] report::Style style() const;

 private:
  TextOption option_;
};

}  // namespace dbandit::cli
