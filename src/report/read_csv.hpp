#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dbandit::report {

using Cells = std::vector<std::string_view>;

/// Calls `row` for every line below the heading. `heading` is given the first line and throws if it is the wrong one; rows have
/// as many cells. Throws UserError that names file and line.
void read_csv(const std::filesystem::path& file, const std::function<void(std::string_view line, const std::string& where)>& heading,
              const std::function<void(const Cells&, const std::string& where)>& row);
/// The same for a heading that is known.
void read_csv(const std::filesystem::path& file, std::string_view heading,
              const std::function<void(const Cells&, const std::string& where)>& row);

Cells split_cells(std::string_view line);
double csv_number(std::string_view cell, const std::string& where);

}  // namespace dbandit::report
