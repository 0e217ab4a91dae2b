#include "spec_flags.hpp"

#include <algorithm>

#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/keys.hpp"

namespace dbandit::cli {
namespace {

Expected kind_of(const sim::KeyWords& key) {
  using enum Expected::Kind;
  Expected expected{key.is_list ? list : key.names.empty() ? anything : choice, key.metavar, {key.names.begin(), key.names.end()}};
  if (expected.kind != choice) expected.allowed = key.allowed;
  return expected;
}

}  // namespace

void SpecFlags::declare(Usage& command, std::initializer_list<std::string_view> keys) {
  command.argument("SPEC", file_, file("SPEC"), "a TOML file with the same keys as the flags below, or - for standard input");
  for (const sim::KeyWords& key : sim::key_words()) {
    if (keys.size() > 0 && std::ranges::find(keys, key.name) == keys.end()) continue;
    flags_[key.name].declare(command, "--" + std::string(key.name), kind_of(key), key.help, std::string(key.group));
  }
}

sim::SpecDraft SpecFlags::draft() const {
  sim::SpecDraft flags;
  for (const std::string_view key : sim::key_names()) {
    const auto flag = flags_.find(key);
    if (flag == flags_.end()) continue;
    if (const std::string* text = flag->second.value()) sim::assign(flags, key, *text);
  }
  return file_.empty() ? flags : sim::merge(sim::read_spec_file(file_), flags);
}

}  // namespace dbandit::cli
