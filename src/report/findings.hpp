#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"

/// What `doctor` says of a machine and `diagnose` of a result.
namespace dbandit::report {

/// What was looked at and found; `fix` is empty unless something is wrong with it.
struct Finding {
  std::string what, found, fix;
};

/// A row for each, and at the end how many are to be fixed, with what that means.
std::string findings_text(const std::vector<Finding>& findings, std::string_view meaning, const Style& style);
std::string findings_json(const std::vector<Finding>& findings, std::string_view schema);

}  // namespace dbandit::report
