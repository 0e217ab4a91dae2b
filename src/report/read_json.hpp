#pragma once

#include <filesystem>

#include "report/json_value.hpp"

namespace dbandit::report {

/// A JSON file of ours. Throws UserError when it cannot be read, is cut short, too large, or something else.
Json read_json(const std::filesystem::path& file);

}  // namespace dbandit::report
