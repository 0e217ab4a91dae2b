#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dbandit/sim/spec.hpp"

/// What makes settings a spec, once each: values within the ranges of their keys, then keys that fit together.
namespace dbandit::sim {

/// A key whose value cannot be, and why: "0.3 is not a number from 0.5 to 1".
struct Refusal {
  std::string_view key;
  std::string reason;
};

/// The first key whose value is not what its row allows, or that is missing.
std::optional<Refusal> refused_value(const SpecDraft& draft);
/// The first key that does not fit to the others; may rely on every value being what its row allows.
std::optional<Refusal> refused_combination(const Spec& spec);

/// What to do about a guest whose name is taken.
inline constexpr std::string_view kAnotherName =
    "allowed is another name: 'f.__name__ = \"name\"' or an attribute 'name' in Python, Guest::name in C++";

/// The defaults that depend on other keys: the recorded rounds, and what is left to the program.
Settings filled_in(Settings settings);

}  // namespace dbandit::sim
