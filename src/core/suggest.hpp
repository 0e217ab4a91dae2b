#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.hpp"

/// What an error message says about a word that is not among the allowed ones.
namespace dbandit {

/// Edit distance in which a swap of neighbours counts once, as fingers do (optimal string alignment).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// The allowed word nearest to `word`, capitals aside; none when even that one is more than a third of its letters away, unless it is the
/// only one that begins so.
inline std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> allowed) {
  std::optional<std::string_view> best;
  std::size_t least = 0;
  if (word.size() > 64) return best;  // nobody mistypes that much, and the distance is quadratic
  std::string plain(word);
  std::ranges::transform(plain, plain.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const std::string_view candidate : allowed) {
    const std::size_t distance = edit_distance(plain, candidate);
    if (distance > std::max<std::size_t>(1, candidate.size() / 3) || (best && distance >= least)) continue;
    best = candidate;
    least = distance;
  }
  if (best || plain.size() < 3) return best;
  const auto begins = [&](std::string_view candidate) { return candidate.starts_with(plain); };
  return std::ranges::count_if(allowed, begins) == 1 ? std::optional(*std::ranges::find_if(allowed, begins)) : std::nullopt;
}

/// "; did you mean 'theta'?", or nothing when no allowed word is near.
inline std::string did_you_mean(std::string_view word, std::span<const std::string_view> allowed) {
  const auto best = closest(word, allowed);
  return best ? "; did you mean '" + std::string(*best) + "'?" : std::string();
}

/// Whether a terminal shows it as a character: no control, nothing that turns the direction of a line, no byte-order mark.
inline bool is_printable(std::uint32_t code) {
  const bool turns = code == 0x61C || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
  return code >= 0xA0 && code < 0xE000 && !turns;
}

/// Input as a message may show it: in quotes, on one line, no control characters, nothing that is not UTF-8, cut when it is long. Call it
/// by its full name: for a std::string the plain one may find std::quoted.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (std::size_t i = 0; i < text.size();) {
    if (i >= longest) return shown + "...'";
    const auto [code, bytes] = utf8_character(text.substr(i));
    if (bytes > 0 && is_printable(code)) {
      shown += text.substr(i, bytes);
    } else {
      shown += text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    i += std::max<std::size_t>(1, bytes);
  }
  return shown + "'";
}

}  // namespace dbandit
