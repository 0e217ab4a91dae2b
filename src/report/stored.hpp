#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/spec.hpp"
#include "dbandit/stats/moments.hpp"

/// A result folder as `run --out` left it, read for replaying and comparing.
namespace dbandit::report {

struct StoredResult {
  struct Policy {
    std::string id;
    stats::Moments regret;  ///< at the horizon
  };
  std::filesystem::path folder;
  sim::Spec spec;
  std::vector<Policy> policies;
  std::optional<Manifest> manifest;
};

/// Throws UserError, which says what is wrong, when there is no such folder or no result in it.
void require_result(const std::filesystem::path& folder);

/// Reads spec.toml, summary.json and, when it is there, manifest.json. Throws UserError that names the file.
StoredResult read_result(const std::filesystem::path& folder);

/// Bytes of a curve, summary or manifest beyond which it is not read.
inline constexpr std::size_t kLargestStored = 1'000'000'000;
/// The bytes of a file; none when there is none. Throws UserError when it is not one, cannot be read or is larger.
std::optional<std::string> read_bytes(const std::filesystem::path& file);

/// The folders at or below `folder` that hold a run (a spec.toml with a summary.json or a curve.csv beside it), sorted. Throws
/// UserError when there is none.
std::vector<std::filesystem::path> result_folders(const std::filesystem::path& folder);

/// Where two texts part, in a line of words that shows both; none when they are the same bytes.
std::optional<std::string> first_difference(const std::string& stored, const std::string& now);

/// Whether a stored spec.toml or summary.json says what `now` says, but for keys of the spec that the program did not have then.
bool same_but_for_new_keys(const std::string& name, const std::string& stored, const std::string& now);

}  // namespace dbandit::report
