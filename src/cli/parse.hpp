#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "usage.hpp"

namespace dbandit::cli {

/// What the words of a call ask for: version, help, or a command.
struct Parsed {
  bool wants_version = false;
  std::string help;         ///< the text, where it was asked for
  std::size_t command = 0;  ///< else, of `commands`
};

/// Reads the words into what the usages name. Throws UserError for words that none of them has.
Parsed parse(const Usage& program, std::span<const Usage> commands, std::vector<std::string> words);

}  // namespace dbandit::cli
