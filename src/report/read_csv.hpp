#pragma once

#include <algorithm>
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

/// What a row belongs to, by its name, in the order in which names come; rows of one name stand together, so the search is from the end.
template <class T>
T& entry(std::vector<T>& all, std::string T::*name, std::string_view wanted) {
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const T& one) { return one.*name == wanted; });
  if (found != all.rend()) return *found;
  all.emplace_back().*name = std::string(wanted);
  return all.back();
}

}  // namespace dbandit::report
