#pragma once

#include <string_view>
#include <vector>

namespace dbandit {

/// What stands between the commas of a list; those inside parentheses belong to an element: "a,b(c=1,d=2)" is two.
inline std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' && depth > 0 ? -1 : 0;
    if (text[at] != ',' || depth > 0) continue;
    parts.push_back(text.substr(from, at - from));
    from = at + 1;
  }
  parts.push_back(text.substr(from));
  return parts;
}

}  // namespace dbandit
