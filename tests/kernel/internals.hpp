#pragma once

#include "kernel/workspace.hpp"

namespace dbandit::kernel {

/// The rounds of the baseline target by themselves, so that a test can look at the state between them.
template <class Arch, bool profiled>
void rounds(State& state, std::int64_t first, std::int64_t last);

}  // namespace dbandit::kernel
