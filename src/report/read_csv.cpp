#include "read_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "report/stored.hpp"

namespace dbandit::report {

namespace fs = std::filesystem;

Cells split_cells(std::string_view line) {
  Cells cells;
  for (std::size_t from = 0; from <= line.size();) {
    // A name of a policy may stand between quotes; it has none itself.
    const bool quoted = from < line.size() && line[from] == '"';
    const std::size_t close = quoted ? line.find('"', from + 1) : std::string_view::npos;
    const std::size_t comma = std::min(line.find(',', close == std::string_view::npos ? from : close), line.size());
    const bool is_quoted = close != std::string_view::npos && comma == close + 1;
    cells.push_back(is_quoted ? line.substr(from + 1, close - from - 1) : line.substr(from, comma - from));
    from = comma + 1;
  }
  return cells;
}

void read_csv(const fs::path& file, const std::function<void(std::string_view, const std::string&)>& heading,
              const std::function<void(const Cells&, const std::string&)>& row) {
  const Input input = read_input(file, kLargestStored);
  if (!input.wrong.empty()) throw UserError(fmt::format("'{}': {}", file.string(), input.wrong));
  std::size_t columns = 0, number = 0;
  for (std::string_view rest = input.bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    const std::string where = fmt::format("{}:{}", file.string(), number);
    const Cells cells = split_cells(line);
    if (number == 1) {
      heading(line, where);
      columns = cells.size();
    } else if (cells.size() != columns) {
      throw UserError(fmt::format("{}: {} is not a row of {} cells", where, dbandit::quoted(line), columns));
    } else {
      row(cells, where);
    }
  }
  if (columns == 0) throw UserError(fmt::format("'{}': is empty", file.string()));
}

void read_csv(const fs::path& file, std::string_view heading, const std::function<void(const Cells&, const std::string&)>& row) {
  const auto check = [&](std::string_view line, const std::string& where) {
    if (line != heading) throw UserError(fmt::format("{}: {} is not the heading '{}'", where, dbandit::quoted(line), heading));
  };
  read_csv(file, check, row);
}

double csv_number(std::string_view cell, const std::string& where) {
  const auto value = parse_number<double>(cell);
  if (!value) throw UserError(fmt::format("{}: {} is not a number", where, dbandit::quoted(cell)));
  return *value;
}

}  // namespace dbandit::report
