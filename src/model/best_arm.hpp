#pragma once

#include <cstddef>

#include "dbandit/model/experiment.hpp"

namespace dbandit::model {

/// *: the arm of the largest visible rate θ_k τ^k_m (θ_k uncensored), the first of equals. With one law for all arms it is the arm of the
/// largest θ; with a law each a window can make it another one.
std::size_t best_arm(const Problem& problem, const Window& window);

}  // namespace dbandit::model
