#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// What is wrong with a spec: which key, and one line that says what was given and what is allowed.
struct Fault {
  std::string_view key;
  std::string text;
};

/// The first fault of a normalised spec; none when it can run.
std::optional<Fault> fault(const Spec& spec);
/// Throws UserError "--key: what was given is not what is allowed".
void validate(const Spec& spec);

/// `at` filled in: the default rounds when there are none, and the horizon at the end when it is missing.
Spec normalised(Spec spec);

}  // namespace dbandit::sim
