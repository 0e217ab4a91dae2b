#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/draft.hpp"

namespace dbandit::sim {

/// Reads a TOML file whose keys are those of kKeys. Throws UserError "spec.toml:3: …": at most 1 MB, ASCII only, no
/// unknown keys, no wrong types. A file that cannot be read is the user's error too (exit 2).
SpecDraft read_spec_file(const std::string& path);
/// The same for a text; `name` is what messages call it.
SpecDraft read_spec_text(std::string_view text, const std::string& name);

/// A file that reads back to an equal spec: every key, in the order of kKeys, numbers in their shortest exact form.
std::string spec_text(const Spec& spec);
/// One value of it, as the file shows it, and as its flag does.
std::string key_text(const Settings& settings, std::string_view key);
std::string key_flag(const Settings& settings, std::string_view key);

/// A flag without its dashes, and its value.
struct Flag {
  std::string_view key;
  std::string value;
};
/// The flags that give this spec on the command line: the keys that have to be said, in the order of kKeys, and those that are
/// not what they would be anyway.
std::vector<Flag> spec_flags(const Spec& spec);

}  // namespace dbandit::sim
