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

/// The allowed word nearest to `word`; none when even that one is more than a third of its letters away.
inline std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> allowed) {
  std::optional<std::string_view> best;
  std::size_t least = 0;
  if (word.size() > 64) return best;  // nobody mistypes that much, and the distance is quadratic
  for (const std::string_view candidate : allowed) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > std::max<std::size_t>(1, candidate.size() / 3) || (best && distance >= least)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/// "; did you mean 'theta'?", or nothing when no allowed word is near.
inline std::string did_you_mean(std::string_view word, std::span<const std::string_view> allowed) {
  const auto best = closest(word, allowed);
  return best ? "; did you mean '" + std::string(*best) + "'?" : std::string();
}

/// Input as a message may show it: in quotes, on one line, no control or foreign bytes, cut when it is long. Call it by its
/// full name: for a std::string the plain one may find std::quoted.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > longest ? "...'" : "'");
}

}  // namespace dbandit
