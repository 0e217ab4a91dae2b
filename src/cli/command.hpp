#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/core/error.hpp"

namespace dbandit::cli {

/// What a command does once its flags are parsed.
using Action = std::function<ExitCode()>;

/// One command of the program. To add one: a file that defines its `declare_…`, and a row in commands.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;              ///< empty: not for users, help does not show it
  std::string_view examples;             ///< the end of its help
  Action (*declare)(CLI::App& command);  ///< adds the flags to the parser; the action owns what they are read into
};

/// The words of this call after the name of the program.
const std::vector<std::string>& given_words();
/// Does what these words say, as if they had been given.
ExitCode run_words(std::vector<std::string> words);

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
Action declare_league(CLI::App& command);
Action declare_plot(CLI::App& command);
Action declare_report(CLI::App& command);
Action declare_plan(CLI::App& command);
Action declare_status(CLI::App& command);
Action declare_replay(CLI::App& command);
Action declare_compare(CLI::App& command);
Action declare_doctor(CLI::App& command);
Action declare_generate(CLI::App& command);

}  // namespace dbandit::cli
