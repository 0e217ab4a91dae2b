#pragma once

#include <string>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// The line that a draft is refused with; empty when it makes a spec.
inline std::string refusal(const SpecDraft& draft) {
  try {
    static_cast<void>(Spec(draft));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace dbandit::sim
