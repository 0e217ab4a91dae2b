#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"
#include "sim/plan.hpp"
#include "sim/sums.hpp"

/// --until: a run that ends before its last replica once its final regret is known precisely enough.
namespace dbandit::sim {

/// The precision is looked at after 1024 replicas, twice as many, and so on, and at the end: where that is depends on the spec
/// alone. Looking often finds a lucky interval too often, so the k-th look takes intervals that miss with a chance of
/// 0.05 / (k (k + 1)). These sum to 0.05 however many looks there are: the probability that any of them misses, and with it that
/// of the one which ends the run, is at most 5 %.
std::size_t next_look(const Plan& plan, std::size_t blocks);
/// Which look it is that comes after so many blocks, or would come next.
std::size_t look_number(const Plan& plan, std::size_t blocks);
double look_alpha(std::size_t look);

/// Whether a run ends with these sums: they are of a prefix at which it is looked at, and everything asked for is precise enough.
bool is_precise(const Spec& spec, const RunSums& sums);

}  // namespace dbandit::sim
