#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace dbandit::report {

/// A JSON file of ours. Throws UserError when it cannot be read, is cut short, too large, or nested deeper than anything we
/// write: the parser itself would follow any number of brackets.
nlohmann::ordered_json read_json(const std::filesystem::path& file);

}  // namespace dbandit::report
