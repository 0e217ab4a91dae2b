#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/spec.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/keys.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

/// A problem that runs in a second; every key that has a default stands there as a comment.
std::string commented_spec() {
  sim::Settings example;
  example.theta = {0.1, 0.05, 0.03};
  example.delay = model::Geometric{500};
  example.censor = 1000;
  example.horizon = 10'000;
  example.policies = {"d-klucb", "d-ucb"};
  const sim::Settings plain;
  std::string text = "# 'dbandit run FILE' runs this. A key behind a # has the default that is shown; take the # away to change it.\n";
  std::vector<sim::KeyWords> keys(sim::key_words().begin(), sim::key_words().end());
  std::vector<std::string_view> groups;
  for (const sim::KeyWords& key : keys) {
    if (std::ranges::find(groups, key.group) == groups.end()) groups.push_back(key.group);
  }
  std::ranges::stable_sort(keys, {}, [&](const sim::KeyWords& key) { return std::ranges::find(groups, key.group) - groups.begin(); });
  std::string_view group;
  for (const sim::KeyWords& key : keys) {
    if (key.group != group) text += fmt::format("\n# --- {} ---\n", group = key.group);
    const std::string value = sim::key_text(example, key.name), usual = sim::key_text(plain, key.name);
    text += fmt::format("\n# {}\n", key.help);
    if (value != usual) {
      text += fmt::format("{} = {}\n", key.name, value);
    } else if (usual == "[]") {
      text += fmt::format("# {} = [100, 1000, 10000]\n", key.name);
    } else {
      text += fmt::format("# {} = {}\n", key.name, usual);
    }
  }
  return text;
}

ExitCode init(const std::string& path) {
  if (path.empty()) {
    print(commented_spec());
    return ExitCode::done;
  }
  const std::filesystem::path file = path;
  if (std::filesystem::exists(file)) throw UserError(fmt::format("'{}': is there already; choose another name", path), ExitCode::mismatch);
  report::Directory(file.has_parent_path() ? file.parent_path() : ".")
      .write(std::array<report::File, 1>{{{file.filename().string(), commented_spec()}}});
  print(fmt::format("written to {}\n", path));
  return ExitCode::done;
}

}  // namespace

Action declare_init(Usage& command) {
  auto path = std::make_shared<std::string>();
  command.argument("FILE", *path, file("FILE"), "where to; default standard output");
  return [path] { return init(*path); };
}

}  // namespace dbandit::cli
