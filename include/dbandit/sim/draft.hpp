#pragma once

#include <string_view>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Sets a key from the text of its flag: assign(draft, "theta", "0.1,0.05"). Throws UserError "--theta: …".
void assign(SpecDraft& draft, std::string_view key, std::string_view text);
/// What `overrides` says wins.
SpecDraft merge(SpecDraft draft, const SpecDraft& overrides);
/// A problem alone, for what needs neither a horizon nor a policy: the shortest run of the plainest policy makes the draft a valid spec.
Spec problem_spec(SpecDraft draft);

}  // namespace dbandit::sim
