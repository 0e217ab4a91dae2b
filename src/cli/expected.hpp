#pragma once

#include <initializer_list>
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

}  // namespace dbandit::cli
