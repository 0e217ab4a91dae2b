#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dbandit::sim {

/// A TOML text in ASCII that means the same: characters beyond ASCII become \\u escapes within strings and question marks within comments.
struct AsciiToml {
  std::string text;
  std::string wrong;     ///< why there is none; empty: all is well
  std::size_t line = 0;  ///< where
};
AsciiToml ascii_toml(std::string_view text);

}  // namespace dbandit::sim
