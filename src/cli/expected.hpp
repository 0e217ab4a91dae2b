#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dbandit::cli {

/// What may be typed for an argument or after a flag, said where it is declared: completions offer it, help shows the metavar.
struct Expected {
  enum class Kind { nothing, anything, choice, list, file, folder };
  Kind kind = Kind::nothing;
  std::string metavar;
  std::vector<std::string> choices;  ///< of `choice`, and of each element of `list`
  std::string allowed = {};          ///< in words, for the manual; empty where the metavar says it

  Expected() = default;
  Expected(const char* name) : Expected(Kind::anything, name) {}
  Expected(Kind given, std::string name, std::vector<std::string> words = {})
      : kind(given), metavar(std::move(name)), choices(std::move(words)) {}
};

inline Expected folder() { return {Expected::Kind::folder, "DIR"}; }
inline Expected file(std::string metavar) { return {Expected::Kind::file, std::move(metavar)}; }
/// One of the words; the metavar names them all.
template <class Words>
Expected choice(const Words& words) {
  Expected expected{Expected::Kind::choice, {}};
  for (const auto& word : words) {
    expected.choices.emplace_back(word);
    expected.metavar += (expected.metavar.empty() ? "" : "|") + expected.choices.back();
  }
  return expected;
}
inline Expected choice(std::initializer_list<std::string_view> words) { return choice<std::initializer_list<std::string_view>>(words); }

/// Remembers what is expected of an option of the parser, which has no place for it.
void expect(const CLI::Option* option, Expected expected);
/// `nothing` where nothing was said.
Expected expected(const CLI::Option& option);

/// An argument: what stands without a flag.
template <class T>
void argument(CLI::App& command, const std::string& name, T& into, Expected expected, const std::string& help) {
  expect(command.add_option(name, into, help)->type_name(""), std::move(expected));
}

}  // namespace dbandit::cli
