#include "report/columns.hpp"

#include <algorithm>
#include <cstddef>

namespace dbandit::report {
namespace {

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!color) return std::string(text);
  return "\033[" + std::string(code) + 'm' + std::string(text) + "\033[0m";
}

std::string Columns::text(const Style& style) const {
  std::vector<std::size_t> widths(align.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string padding(widths[c] - width(rows[r][c]), ' ');
      line += align[c] == Align::left ? rows[r][c] + padding : padding + rows[r][c];
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    const bool good = std::ranges::find(highlight, r) != highlight.end();
    text += (r == 0 ? style.bold(line) : good ? style.good(line) : line) + '\n';
  }
  return text;
}

}  // namespace dbandit::report
