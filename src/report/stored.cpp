#include "report/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/json_value.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

Json parse(const fs::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) throw UserError(fmt::format("'{}': is missing; allowed is a folder that 'dbandit run --out' wrote", file.string()));
  try {
    return Json::parse(*bytes);
  } catch (const Json::Error&) {
    throw UserError(fmt::format("'{}': is not what 'dbandit run --out' writes", file.string()));
  }
}

const Json& last_of(const Json& array) { return array.at(array.size() - 1); }

/// m2 such that the standard error is the stored one.
stats::Moments moments_of(const Json& json, double count) {
  const double error = json.at("stderr").number();
  return {.count = count, .mean = json.at("mean").number(), .variance = error * error * count};
}

bool holds_a_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "spec.toml", ignored) &&
         (fs::exists(folder / "summary.json", ignored) || fs::exists(folder / "curve.csv", ignored));
}

std::string line_at(const std::string& text, std::size_t from) {
  if (from >= text.size()) return "the end of the file";
  return dbandit::quoted(text.substr(from, text.find('\n', from) - from));
}

}  // namespace

std::optional<std::string> read_bytes(const fs::path& file) {
  Input input = read_input(file, kLargestStored);
  if (input.error == ENOENT || input.error == ENOTDIR) return std::nullopt;
  if (!input.wrong.empty()) throw UserError(fmt::format("'{}': {}", file.string(), input.wrong));
  return std::move(input.bytes);
}

void require_result(const fs::path& folder) {
  std::error_code ignored;
  const auto refuse = [&](std::string_view what) {
    throw UserError(fmt::format("'{}': {}; allowed is a folder that 'dbandit run --out' wrote", folder.string(), what));
  };
  if (!fs::exists(folder, ignored)) refuse("there is no such folder");
  if (!fs::is_directory(folder, ignored)) refuse("is a file");
  if (holds_a_run(folder)) return;
  if (fs::exists(folder / "sweep.csv", ignored)) refuse("holds a sweep, which 'dbandit plot' and 'dbandit report' show");
  if (fs::exists(folder / "checkpoint", ignored)) refuse("is not finished, 'dbandit status' says what continues it");
  refuse("holds no result");
}

StoredResult read_result(const fs::path& folder) {
  require_result(folder);
  const sim::Spec spec(sim::read_spec_file((folder / "spec.toml").string()));
  StoredResult stored{.folder = folder, .spec = spec, .policies = {}, .manifest = {}};
  const fs::path summary = folder / "summary.json", manifest = folder / "manifest.json";
  const Json numbers = parse(summary);
  try {
    const auto count = static_cast<double>(stored.spec->replicas);
    for (const Json& policy : numbers.at("policies").elements()) {
      stored.policies.push_back({policy.at("policy").text(), moments_of(last_of(policy.at("curve")).at("regret"), count)});
    }
  } catch (const Json::Error&) {
    throw UserError(fmt::format("'{}': is not what 'dbandit run --out' writes", summary.string()));
  }
  if (std::error_code ignored; !fs::exists(manifest, ignored)) return stored;
  const Json facts = parse(manifest);
  try {
    stored.manifest = Manifest{.build = {facts.at("version").text(), facts.at("commit").text(), facts.at("compiler").text()},
                               .cpu = facts.at("cpu").text(),
                               .target = facts.at("target").text(),
                               .threads = static_cast<int>(facts.at("threads").number()),
                               .seconds = facts.at("seconds").number(),
                               .replica_rounds = facts.at("replica_rounds").number()};
  } catch (const Json::Error&) {
    throw UserError(fmt::format("'{}': is not what 'dbandit run --out' writes", manifest.string()));
  }
  return stored;
}

std::vector<fs::path> result_folders(const fs::path& folder) {
  if (holds_a_run(folder)) return {folder};
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_directory(error) && holds_a_run(entry->path())) found.push_back(entry->path());
  }
  if (found.empty()) {
    throw UserError(
        fmt::format("'{}': holds no run; allowed is a folder that 'dbandit run --out' wrote, or one above such folders", folder.string()));
  }
  std::ranges::sort(found);
  return found;
}

bool same_but_for_new_keys(const std::string& name, const std::string& stored, const std::string& now) {
  if (name == "spec.toml") {
    return sim::Spec(sim::read_spec_text(stored, name)) == sim::Spec(sim::read_spec_text(now, name));
  }
  if (name != "summary.json") return false;
  try {
    const Json then = Json::parse(stored);
    Json without = Json::parse(now), spec;
    for (const auto& [key, value] : without.at("spec").members()) {
      if (then.at("spec").contains(key)) spec[key] = value;
    }
    without["spec"] = std::move(spec);
    return without.dump() + '\n' == stored;
  } catch (const Json::Error&) {
    return false;
  }
}

std::optional<std::string> first_difference(const std::string& stored, const std::string& now) {
  const auto [a, b] = std::ranges::mismatch(stored, now);
  if (a == stored.end() && b == now.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(a - stored.begin());
  const auto line = 1 + std::count(stored.begin(), a, '\n');
  const std::size_t newline = at == 0 ? std::string::npos : stored.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  // A line of JSON is the whole document: what is shown begins shortly before the difference.
  constexpr std::size_t before = 20;
  const std::size_t from = at - begin > before + 20 ? at - before : begin;
  return fmt::format("line {}, byte {}: stored {}, now {}", line, at, line_at(stored, from), line_at(now, from));
}

}  // namespace dbandit::report
