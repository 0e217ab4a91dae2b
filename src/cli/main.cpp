#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "dbandit/report/manifest.hpp"
#include "interrupt.hpp"
#include "parse.hpp"
#include "sim/mpi.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

std::string version() {
  const report::Build& build = report::build();
  return fmt::format("dbandit {} (commit {}, {})\n", build.version, build.commit, build.compiler);
}

ExitCode dispatch(std::vector<std::string> words) {
  std::vector<Action> actions;
  std::vector<Usage> usages;
  for (const Command& command : commands()) {
    auto [usage, action] = declared(command);
    usages.push_back(std::move(usage));
    actions.push_back(std::move(action));
  }
  const Parsed parsed = parse(program_usage(), usages, std::move(words));
  if (parsed.wants_version) {
    print(version());
  } else if (!parsed.help.empty()) {
    print(parsed.help);
  } else {
    return actions[parsed.command]();
  }
  return ExitCode::done;
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
int end_with(std::string_view line, ExitCode code) {
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
  std::optional<sim::Ranks> ranks;
  try {
    ranks.emplace(argc, argv);
    if (ranks->is_helper()) {
      const cli::Interrupt interrupt;
      ranks->help(interrupt.token());
      return static_cast<int>(ExitCode::done);
    }
    return static_cast<int>(cli::run_words({argv + 1, argv + argc}));
  } catch (const cli::ReaderGone&) {
    return static_cast<int>(ExitCode::done);
  } catch (const UserError& error) {
    return cli::end_with(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return cli::end_with("out of memory", ExitCode::failure);
  } catch (const std::exception& error) {
    return cli::end_with(error.what(), ExitCode::failure);
  }
}
