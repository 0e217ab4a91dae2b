#include "parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"

/// The one file that includes CLI11, which takes four seconds to compile.
namespace dbandit::cli {
namespace {

void add(CLI::App& app, const Word& word) {
  if (const auto* flag = std::get_if<bool*>(&word.into)) {
    app.add_flag(word.name, **flag, word.help)->group(word.group);
  } else if (const auto* text = std::get_if<std::string*>(&word.into)) {
    app.add_option(word.name, **text, word.help)->type_name("");
  } else if (const auto* texts = std::get_if<std::vector<std::string>*>(&word.into)) {
    CLI::Option* const option = app.add_option(word.name, **texts, word.help);
    if (!word.is_flag()) {
      option->type_name("");
    } else {
      option->type_name(word.expected.metavar)
          ->group(word.group)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
}

std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t gap; (gap = text.find("\n\n\n")) != std::string::npos;) text.erase(gap, 1);
  return text;
}

std::vector<std::string_view> visible_names(std::span<const Usage> commands) {
  std::vector<std::string_view> names;
  for (const Usage& command : commands) {
    if (!command.summary.empty()) names.push_back(command.name);
  }
  return names;
}

[[noreturn]] void refuse_word(const Usage& usage, std::span<const Usage> commands, const std::string& word) {
  const bool is_flag = word.starts_with('-'), is_program = usage.name.empty();
  const std::string name = is_flag ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> flags;
  for (const Word& known : usage.words) {
    if (known.is_flag()) flags.push_back(known.long_name());
  }
  std::vector<std::string_view> allowed;
  if (is_flag) {
    allowed.assign(flags.begin(), flags.end());
  } else if (is_program) {
    allowed = visible_names(commands);
  }
  throw UserError(fmt::format("{}: {}{}; see 'dbandit{} --help'", dbandit::quoted(name),
                              is_flag      ? "no such flag"
                              : is_program ? "no such command"
                                           : "one argument too many",
                              did_you_mean(name, allowed), is_program ? "" : " " + usage.name));
}

}  // namespace

Parsed parse(const Usage& program, std::span<const Usage> commands, std::vector<std::string> words) {
  CLI::App app(program.summary, "dbandit");
  app.footer(program.end);
  app.set_version_flag("-V,--version");
  app.get_formatter()->column_width(44);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(0, 1);
  app.allow_extras();
  std::vector<CLI::App*> parsers;
  for (const Usage& command : commands) {
    parsers.push_back(app.add_subcommand(command.name, command.summary));
    parsers.back()->group(command.group)->footer(command.end);
    for (const Word& word : command.words) add(*parsers.back(), word);
  }

  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    if (const auto extras = app.remaining(); !extras.empty()) refuse_word(program, commands, extras.front());
    return {.wants_version = false, .help = help_text(app), .command = 0};
  } catch (const CLI::CallForVersion&) {
    return {.wants_version = true, .help = {}, .command = 0};
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    throw UserError(what.substr(0, what.find(':')) + ": needs a value");
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  }
  if (const auto extras = app.remaining(); !extras.empty()) refuse_word(program, commands, extras.front());
  for (std::size_t i = 0; i < parsers.size(); ++i) {
    if (!parsers[i]->parsed()) continue;
    if (const auto extras = parsers[i]->remaining(); !extras.empty()) refuse_word(commands[i], commands, extras.front());
    return {.wants_version = false, .help = {}, .command = i};
  }
  std::string names;
  for (const std::string_view name : visible_names(commands)) names.append(" ").append(name);
  throw UserError(fmt::format("a command is missing, one of:{}; see 'dbandit --help'", names));
}

}  // namespace dbandit::cli
