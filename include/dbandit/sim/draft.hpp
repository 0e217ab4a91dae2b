#pragma once

#include <string_view>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Sets a key from the text of its flag: assign(draft, "theta", "0.1,0.05"). Throws UserError "--theta: …".
void assign(SpecDraft& draft, std::string_view key, std::string_view text);
/// What `overrides` says wins.
SpecDraft merge(SpecDraft draft, const SpecDraft& overrides);

}  // namespace dbandit::sim
