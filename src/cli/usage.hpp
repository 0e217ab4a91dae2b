#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expected.hpp"

/// The commands and what may be typed after them, as values: the parser is made from them in parse.cpp; manual pages, completions and
/// docs/flags.md say what the parser knows.
namespace dbandit::cli {

/// A flag or an argument, and what it is read into.
struct Word {
  std::string name;  ///< "--theta", "-o,--out", or "SPEC"
  std::string help;
  std::string group;  ///< empty: not for users, help does not show it
  Expected expected;
  std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*> into;  ///< monostate: the parser's own, --help and --version
  [[nodiscard]] bool is_flag() const { return name.starts_with('-'); }
  /// "--out" of "-o,--out".
  [[nodiscard]] std::string long_name() const { return is_flag() ? name.substr(name.find("--")) : name; }
  /// Several arguments in a row.
  [[nodiscard]] bool repeated() const { return !is_flag() && std::holds_alternative<std::vector<std::string>*>(into); }
};

/// A command, or the program itself.
struct Usage {
  std::string name;     ///< "run"; empty for the program
  std::string summary;  ///< empty: not for users
  std::string group;    ///< under which the program's help lists it
  std::string end;      ///< of its help: examples and more
  std::vector<Word> words;

  void flag(std::string name, bool& into, std::string help, std::string group) {
    words.push_back({std::move(name), std::move(help), std::move(group), {}, &into});
  }
  /// Given several times, it has several values.
  void option(std::string name, std::vector<std::string>& into, Expected expected, std::string help, std::string group) {
    words.push_back({std::move(name), std::move(help), std::move(group), std::move(expected), &into});
  }
  /// What stands without a flag: one word, or all of them.
  void argument(std::string name, std::string& into, Expected expected, std::string help) {
    words.push_back({std::move(name), std::move(help), kGeneral, std::move(expected), &into});
  }
  void argument(std::string name, std::vector<std::string>& into, Expected expected, std::string help) {
    words.push_back({std::move(name), std::move(help), kGeneral, std::move(expected), &into});
  }

  static constexpr const char* kGeneral = "Options";  ///< the group of what belongs to no other
};

/// The program first, then its commands in their order; hidden ones are left out. Arguments stand before flags, --help at the end.
std::vector<Usage> usages();

std::string manual_page(const Usage& usage, const std::vector<Usage>& all);
std::string bash_completion(const std::vector<Usage>& all);
std::string zsh_completion(const std::vector<Usage>& all);
std::string fish_completion(const std::vector<Usage>& all);
/// docs/flags.md.
std::string flags_page(const std::vector<Usage>& all);

}  // namespace dbandit::cli
