#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "usage.hpp"

/// Completions for bash, zsh and fish.
namespace dbandit::cli {
namespace {

using Kind = Expected::Kind;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// For a string in single quotes, in which bash and zsh interpret nothing.
std::string shell(const std::string& text) { return replaced(text, "'", "'\\''"); }

/// zsh's _arguments reads brackets and colons of its own.
std::string zsh(std::string text) {
  for (const char* c : {"\\", "[", "]", ":"}) text = replaced(text, c, "\\" + std::string(c));
  return shell(text);
}

std::string fish(const std::string& text) { return replaced(replaced(text, "\\", "\\\\"), "'", "\\'"); }

std::vector<std::string> names(const Usage& usage) {
  std::vector<std::string> all;
  for (const Word& word : usage.words) {
    if (word.is_flag()) all.push_back(word.long_name());
  }
  return all;
}

std::vector<std::string> commands(const std::vector<Usage>& all) {
  std::vector<std::string> found;
  for (const Usage& usage : all) {
    if (!usage.name.empty()) found.push_back(usage.name);
  }
  return found;
}

/// What bash does for a value: words, names of files, or a list whose last element is being typed.
std::string bash_action(const Expected& expected) {
  switch (expected.kind) {
    case Kind::choice:
      return fmt::format("words='{}'", fmt::join(expected.choices, " "));
    case Kind::list:
      return fmt::format("list='{}'", fmt::join(expected.choices, " "));
    case Kind::file:
      return "files=-f";
    case Kind::folder:
      return "files=-d";
    case Kind::anything:
    case Kind::nothing:
      break;
  }
  return "return";
}

std::string zsh_action(const Expected& expected) {
  switch (expected.kind) {
    case Kind::choice:
      return fmt::format("({})", fmt::join(expected.choices, " "));
    case Kind::list:
      return fmt::format("_values -s , policy {}", fmt::join(expected.choices, " "));
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    case Kind::anything:
    case Kind::nothing:
      break;
  }
  return " ";
}

std::string fish_action(const Expected& expected) {
  switch (expected.kind) {
    case Kind::choice:
      return fmt::format(" -x -a '{}'", fmt::join(expected.choices, " "));
    case Kind::list:
      return fmt::format(" -x -a '(__fish_complete_list , \"printf %s\\\\\\\\n {}\")'", fmt::join(expected.choices, " "));
    case Kind::file:
      return " -r -F";
    case Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::nothing:
      return "";
    case Kind::anything:
      break;
  }
  return " -x";
}

}  // namespace

std::string bash_completion(const std::vector<Usage>& all) {
  std::string values, flags;
  for (const Usage& usage : all) {
    for (const Word& word : usage.words) {
      if (word.is_flag() && word.expected.kind != Kind::nothing) {
        values += fmt::format("    {}:{}) {} ;;\n", usage.name, word.long_name(), bash_action(word.expected));
      }
    }
    if (usage.name.empty()) continue;
    std::string argument;
    for (const Word& word : usage.words) {
      if (!word.is_flag() && word.expected.kind != Kind::anything) argument = bash_action(word.expected);
    }
    flags += fmt::format("    {}) flags='{}' {} ;;\n", usage.name, fmt::join(names(usage), " "), argument);
  }
  return fmt::format(R"(# bash completion for dbandit, generated from its command tree
_dbandit() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command= flags= words= list= files= word
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  [ "$COMP_CWORD" -le 1 ] || command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  case $command:$prev in
{}    *) case $command in
    '') words='{} {}' ;;
{}    *) return ;;
    esac ;;
  esac
  if [ -n "$list" ]; then
    local before=
    case $cur in *,*) before=${{cur%,*}}, ;; esac
    for word in $list; do words="$words $before$word"; done
  fi
  case $cur in -*) words=$flags files= ;; esac
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    word=$(compgen "$files" -- "$cur")
  else
    word=$(compgen -W "$words" -- "$cur")
  fi
  [ -z "$word" ] || mapfile -t COMPREPLY <<<"$word"
}}
complete -F _dbandit dbandit
)",
                     values, fmt::join(commands(all), " "), fmt::join(names(all.front()), " "), flags);
}

std::string zsh_completion(const std::vector<Usage>& all) {
  std::string described, cases, program;
  for (const Usage& usage : all) {
    std::string arguments;
    for (const Word& word : usage.words) {
      const std::string help = zsh(word.help);
      if (!word.is_flag()) {
        arguments += fmt::format("      '{}:{}:{}' \\\n", word.repeated() ? "*" : "1", zsh(word.long_name()), zsh_action(word.expected));
      } else if (word.expected.kind == Kind::nothing) {
        arguments += fmt::format("      '{}[{}]' \\\n", word.long_name(), help);
      } else {
        arguments +=
            fmt::format("      '{}[{}]:{}:{}' \\\n", word.long_name(), help, zsh(word.expected.metavar), zsh_action(word.expected));
      }
    }
    if (usage.name.empty()) {
      program = arguments;
    } else {
      described += fmt::format("      '{}:{}'\n", usage.name, zsh(usage.summary));
      cases += fmt::format("    {}) _arguments \\\n{}      && return ;;\n", usage.name, arguments);
    }
  }
  return fmt::format(R"(#compdef dbandit
# zsh completion for dbandit, generated from its command tree
_dbandit() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \
{}      '1:command:->command' '*::argument:->argument' && return
  case $state in
  command)
    local -a commands=(
{}    )
    _describe command commands ;;
  argument)
    case $line[1] in
{}    esac ;;
  esac
}}
_dbandit "$@"
)",
                     program, described, cases);
}

std::string fish_completion(const std::vector<Usage>& all) {
  std::string text = "# fish completion for dbandit, generated from its command tree\ncomplete -c dbandit -f\n";
  for (const Usage& usage : all) {
    const std::string when = usage.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + usage.name;
    if (!usage.name.empty()) {
      text += fmt::format("complete -c dbandit -n __fish_use_subcommand -a {} -d '{}'\n", usage.name, fish(usage.summary));
    }
    for (const Word& word : usage.words) {
      text += fmt::format("complete -c dbandit -n '{}'", when);
      if (word.is_flag()) {
        text += fmt::format(" -l {}{} -d '{}'\n", word.long_name().substr(2), fish_action(word.expected), fish(word.help));
      } else {
        const bool named = word.expected.kind == Kind::choice;
        text += fmt::format("{}\n", named ? fmt::format(" -a '{}'", fmt::join(word.expected.choices, " ")) : " -F");
      }
    }
  }
  return text;
}

}  // namespace dbandit::cli
