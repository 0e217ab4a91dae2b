#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dbandit::cli {

/// What became of another program.
struct ChildOutcome {
  int exit = -1;  ///< 128 + signal when it was killed, as shells count
  std::string out, err;
  double cpu_seconds = 0;  ///< its own and the system's for it, also of what it waited for: other programs disturb it less than the wall's
};

/// Runs a program, found as a shell would, to its end and keeps what it writes. `waiting` is called a few times a second with the last line
/// of its standard error; once a stop is requested the program is terminated. Throws std::system_error when it cannot be started.
ChildOutcome run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments, const std::stop_token& stop,
                       const std::function<void(std::string_view)>& waiting);

}  // namespace dbandit::cli
