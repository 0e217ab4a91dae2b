#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dbandit::report {

/// Text for a terminal or a pipe: the escape codes are empty when colour is off.
struct Style {
  bool color = false;
  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return paint("32", text); }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
};

enum class Align { left, right };

/// Rows of text as aligned columns, two spaces between them, no trailing space. The first row is the heading (bold);
/// widths count characters, not bytes. `highlight` names rows (1 is the first below the heading) to be shown as good.
struct Columns {
  std::vector<Align> align;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> highlight;
  [[nodiscard]] std::string text(const Style& style) const;
};

}  // namespace dbandit::report
