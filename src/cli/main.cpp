#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "core/suggest.hpp"
#include "dbandit/report/manifest.hpp"
#include "sim/mpi.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

constexpr std::string_view kEnd = R"(Examples:
  dbandit run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --policies d-klucb,d-ucb
  dbandit bounds --theta 0.5,0.4,0.3 --delay geometric:500 --censor 1000
  dbandit list policies
  dbandit run --help

Exit codes:
  0    done
  1    failure: something that should not happen
  2    usage or spec: the line on standard error says what is allowed
  3    what was compared differs: 'replay', or a regression found by 'compare'
  4    input/output: a file, directory or standard output could not be written
  5    the directory holds another run, or one of another version of the program
  6    the directory's checkpoint is damaged
  7    another process is running in the directory
  130  interrupted: what was printed is partial; with --out it was stored and can be continued

Environment:
  NO_COLOR  when set, no colour unless --color always)";

std::string version() {
  const report::Build& build = report::build();
  return fmt::format("dbandit {} (commit {}, {})\n", build.version, build.commit, build.compiler);
}

std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t gap; (gap = text.find("\n\n\n")) != std::string::npos;) text.erase(gap, 1);
  return text;
}

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word) {
  const bool is_flag = word.starts_with('-');
  const std::string name = is_flag ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> allowed;
  if (is_flag) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& known : option->get_lnames()) allowed.push_back("--" + known);
    }
  } else if (app.get_parent() == nullptr) {
    for (const Command& command : commands()) {
      if (!command.summary.empty()) allowed.emplace_back(command.name);
    }
  }
  const std::vector<std::string_view> words(allowed.begin(), allowed.end());
  const std::string where = app.get_parent() == nullptr ? "dbandit" : "dbandit " + app.get_name();
  throw UserError(fmt::format("{}: {}{}; see '{} --help'", dbandit::quoted(name),
                              is_flag                       ? "no such flag"
                              : app.get_parent() == nullptr ? "no such command"
                                                            : "one argument too many",
                              did_you_mean(name, words), where));
}

ExitCode dispatch(std::vector<std::string> words) {
  CLI::App app("Bandits with delayed conversions: simulates policies that learn from conversions disclosed late or never.", "dbandit");
  app.footer(std::string(kEnd));
  app.set_version_flag("--version", version);
  app.get_formatter()->column_width(44);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(0, 1);
  app.allow_extras();
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& command : commands()) {
    CLI::App* subcommand = app.add_subcommand(std::string(command.name), std::string(command.summary));
    subcommand->group(command.summary.empty() ? "" : "Commands")->footer(std::string(command.examples));
    actions.emplace_back(subcommand, command.declare(*subcommand));
  }

  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(help_text(app));
    return ExitCode::done;
  } catch (const CLI::CallForVersion&) {
    print(version());
    return ExitCode::done;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    throw UserError(what.substr(0, what.find(':')) + ": needs a value");
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  }
  if (const auto extras = app.remaining(); !extras.empty()) refuse_word(app, extras.front());
  for (const auto& [subcommand, action] : actions) {
    if (!subcommand->parsed()) continue;
    if (const auto extras = subcommand->remaining(); !extras.empty()) refuse_word(*subcommand, extras.front());
    return action();
  }
  std::string names;
  for (const Command& command : commands()) {
    if (!command.summary.empty()) names.append(" ").append(command.name);
  }
  throw UserError(fmt::format("a command is missing, one of:{}; see 'dbandit --help'", names));
}

std::vector<std::string> words_of_this_call;

/// Descriptors 0 to 2 that are closed would be taken by the next files that are opened, and what is printed would land in them.
/// Whatever is then written to them fails, as it does when they are closed.
void occupy_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

/// One line, whatever control bytes an argument had in it.
int complain(std::string_view line, ExitCode code) {
  std::string text = fmt::format("dbandit: {}", line);
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  text += '\n';
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  return static_cast<int>(code);
}

}  // namespace

const std::vector<std::string>& given_words() { return words_of_this_call; }

ExitCode run_words(std::vector<std::string> words) { return dispatch(words_of_this_call = std::move(words)); }

}  // namespace dbandit::cli

int main(int argc, char** argv) {
  using namespace dbandit;
  cli::occupy_standard_descriptors();
  // Broken pipes and file-size limits are errors of a write, reported where it is made, not reasons to die.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sim::Ranks ranks(argc, argv);
  if (ranks.is_helper()) {
    const cli::Interrupt interrupt;
    ranks.help(interrupt.token());
    return static_cast<int>(ExitCode::done);
  }
  try {
    return static_cast<int>(cli::run_words({argv + 1, argv + argc}));
  } catch (const cli::ReaderGone&) {
    return static_cast<int>(ExitCode::done);
  } catch (const UserError& error) {
    return cli::complain(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return cli::complain("out of memory", ExitCode::failure);
  } catch (const std::exception& error) {
    return cli::complain(error.what(), ExitCode::failure);
  }
}
