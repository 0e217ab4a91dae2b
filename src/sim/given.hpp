#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/spec.hpp"

/// Values as the user gave them, before they have a type: from a flag or from a spec file, which share the rest.
namespace dbandit::sim {

/// What a file says a value is. The text of a flag may be anything.
enum class Form { flag, integer, number, word, other };

struct Token {
  std::string text;
  Form form = Form::flag;
};

struct Given {
  std::vector<Token> tokens;
  bool list = false;  ///< a list in a file; a flag's list is one token with commas
};

/// Sets the key. Returns why it cannot be, as "'x' is not a number from 0.5 to 1"; none when all is well.
std::optional<std::string> assign_given(Settings& settings, std::string_view key, const Given& given);

}  // namespace dbandit::sim
