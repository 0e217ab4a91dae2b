#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

#include "dbandit/core/error.hpp"

namespace dbandit::cli {

/// What a command does once its flags are parsed.
using Action = std::function<ExitCode()>;

/// One command of the program. To add one: a file that defines its `declare_…`, and a row in commands.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;             ///< the end of its help
  Action (*declare)(CLI::App& command);  ///< adds the flags to the parser; the action owns what they are read into
};

/// In the order in which help shows them.
std::span<const Command> commands();

Action declare_run(CLI::App& command);
Action declare_merge(CLI::App& command);
Action declare_bounds(CLI::App& command);
Action declare_list(CLI::App& command);
Action declare_bench(CLI::App& command);
Action declare_reproduce(CLI::App& command);
Action declare_claims(CLI::App& command);
Action declare_sweep(CLI::App& command);
Action declare_plot(CLI::App& command);

/// Commands and flags that are known to come, so that nobody takes silence for obedience.
bool belongs_to_a_later_version(std::string_view word);

}  // namespace dbandit::cli
