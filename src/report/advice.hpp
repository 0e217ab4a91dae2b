#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "sim/machine.hpp"

/// Warnings that teach: a line each, which ends with the flag that helps.
namespace dbandit::report {

/// What the reader of a table should know: too few replicas for the interval shown, a window that hides nearly everything.
std::vector<std::string> advice(const sim::Result& result);

/// Below, the mean of a skewed regret is not yet normal.
inline constexpr double kFewReplicas = 30;
/// Half-widths beyond this share of the mean say little.
inline constexpr double kWideInterval = 0.1;
/// Rounded up to two digits, as a person would choose it.
double round_number(double value);
/// What to do about a window that hides nearly everything; none when it does not.
std::optional<std::string> censoring_advice(const sim::Spec& spec);

/// Before a run: a law without a recursion for which a policy sums so many past rounds in each that a fit of the law, --exposure approx,
/// would be dozens of times as fast; none otherwise.
std::optional<std::string> cost_advice(const sim::Spec& spec);

/// More threads (of each rank on this machine) than can run at the same time; none when they can.
std::vector<std::string> thread_advice(int threads, const sim::Cores& cores);

}  // namespace dbandit::report
