#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace dbandit::cli {

/// Whether a line that was written there can be wiped and drawn again: a terminal, and not one that says it knows no control sequences.
inline bool redraws(int descriptor) {
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

}  // namespace dbandit::cli
