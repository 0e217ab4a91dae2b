#include "report/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "dbandit/core/error.hpp"
#include "core/file.hpp"
#include "core/suggest.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json parse(const fs::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) throw UserError(fmt::format("'{}': is missing; allowed is a folder that 'dbandit run --out' wrote", file.string()));
  constexpr int deepest = 8;  // the parser itself would follow any number of brackets
  const auto refuse = [&] { return UserError(fmt::format("'{}': is not what 'dbandit run --out' writes", file.string())); };
  try {
    return Json::parse(*bytes, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > deepest) throw refuse();
      return true;
    });
  } catch (const Json::exception&) {
    throw refuse();
  }
}

/// m2 such that the standard error is the stored one.
stats::Moments moments_of(const Json& json, double count) {
  const double error = json.at("stderr").get<double>();
  return {.count = count, .mean = json.at("mean").get<double>(), .variance = error * error * count};
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

StoredResult read_result(const fs::path& folder) {
  const sim::Spec spec(sim::read_spec_file((folder / "spec.toml").string()));
  StoredResult stored{.folder = folder, .spec = spec, .policies = {}, .manifest = {}};
  const fs::path summary = folder / "summary.json", manifest = folder / "manifest.json";
  const Json numbers = parse(summary);
  try {
    const auto count = static_cast<double>(stored.spec->replicas);
    for (const Json& policy : numbers.at("policies")) {
      stored.policies.push_back({policy.at("policy"), moments_of(policy.at("curve").back().at("regret"), count)});
    }
  } catch (const Json::exception&) {
    throw UserError(fmt::format("'{}': is not what 'dbandit run --out' writes", summary.string()));
  }
  if (std::error_code ignored; !fs::exists(manifest, ignored)) return stored;
  const Json facts = parse(manifest);
  try {
    stored.manifest = Manifest{.build = {facts.at("version"), facts.at("commit"), facts.at("compiler")},
                               .cpu = facts.at("cpu"),
                               .target = facts.at("target"),
                               .threads = facts.at("threads"),
                               .seconds = facts.at("seconds"),
                               .replica_rounds = facts.at("replica_rounds")};
  } catch (const Json::exception&) {
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
  using Ordered = nlohmann::ordered_json;
  const Ordered then = Ordered::parse(stored, nullptr, false);
  Ordered without = Ordered::parse(now, nullptr, false);
  if (!then.is_object() || !then.contains("spec") || !then["spec"].is_object() || !without.is_object()) return false;
  Ordered spec;
  for (const auto& [key, value] : without["spec"].items()) {
    if (then["spec"].contains(key)) spec[key] = value;
  }
  without["spec"] = std::move(spec);
  return without.dump() + '\n' == stored;
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
