#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/core/error.hpp"
#include "usage.hpp"

namespace dbandit::cli {

/// What a command does once its flags are parsed.
using Action = std::function<ExitCode()>;

/// What the exit codes of a command mean beside what they mean everywhere.
struct Exits {
  bool has_checkpoint = false;     ///< it reads or writes one: 5, 6 and 7
  std::string_view fails = {};     ///< 1; empty: something that should not happen
  std::string_view differs = {};   ///< 3; empty: it has none
  std::string_view mismatch = {};  ///< 5, of one that has no checkpoint; empty: it has none
};

/// One command of the program. To add one: a file that defines its `declare_…`, and a row in commands.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;           ///< empty: not for users, help does not show it
  std::string_view examples;          ///< after its flags, in its help
  std::string_view interrupted;       ///< what is left behind by Ctrl-C, SIGTERM and SIGHUP; the end of its help
  Action (*declare)(Usage& command);  ///< adds the words it takes; the action owns what they are read into
  std::string_view group;             ///< the heading under which help lists it
  Exits exits = {};                   ///< what is special about them
};

/// The words of this call after the name of the program.
const std::vector<std::string>& given_words();
/// Does what these words say, as if they had been given.
ExitCode run_words(std::vector<std::string> words);

/// In the order in which help shows them, those of a group together.
std::span<const Command> commands();

/// A command with its words.
struct Declared {
  Usage usage;
  Action action;  ///< owns what the words are read into
};
Declared declared(const Command& command);
/// Of the program without a command.
Usage program_usage();

Action declare_run(Usage& command);
Action declare_init(Usage& command);
Action declare_merge(Usage& command);
Action declare_bounds(Usage& command);
Action declare_list(Usage& command);
Action declare_bench(Usage& command);
Action declare_reproduce(Usage& command);
Action declare_claims(Usage& command);
Action declare_sweep(Usage& command);
Action declare_league(Usage& command);
Action declare_slopes(Usage& command);
Action declare_trace(Usage& command);
Action declare_plot(Usage& command);
Action declare_report(Usage& command);
Action declare_plan(Usage& command);
Action declare_status(Usage& command);
Action declare_replay(Usage& command);
Action declare_compare(Usage& command);
Action declare_fit(Usage& command);
Action declare_diagnose(Usage& command);
Action declare_doctor(Usage& command);
Action declare_generate(Usage& command);

}  // namespace dbandit::cli
