#pragma once

#include <span>
#include <string>
#include <vector>

#include "dbandit/sim/run.hpp"
#include "dbandit/stats/moments.hpp"

namespace dbandit::sim {

/// Whether replica r of one spec lives in the same world as replica r of the other: the same draws, arms and delays.
bool same_worlds(const Spec& a, const Spec& b);

/// Final regret of each policy under b minus that under a, replica by replica, over as many replicas as both have. Both have the
/// policies, same_worlds(a, b) holds and the horizons are equal. Simulates both again; after a stop, over fewer replicas.
std::vector<stats::Moments> paired_differences(const Spec& a, const Spec& b, std::span<const Policy> policies, const RunOptions& options);

}  // namespace dbandit::sim
