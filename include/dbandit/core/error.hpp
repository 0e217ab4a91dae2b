#pragma once

#include <stdexcept>
#include <string>

namespace dbandit {

/// What the command line exits with; documented in `dbandit --help`.
enum class ExitCode { done = 0, failure = 1, usage = 2, differs = 3, io = 4, mismatch = 5, damaged = 6, busy = 7, interrupted = 130 };

/// An error that the user can fix: one line that says what was given and what is allowed.
/// Thrown where the input is read or a file is written, caught only in main; the engines (kernel/, reference/) throw none.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& line, ExitCode code = ExitCode::usage) : std::runtime_error(line), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

}  // namespace dbandit
