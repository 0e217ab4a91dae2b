#pragma once

#include <string>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "sim/machine.hpp"

/// Warnings that teach: a line each, which ends with the flag that helps.
namespace dbandit::report {

/// What the reader of a table should know: too few replicas for the interval shown, a window that hides nearly everything.
std::vector<std::string> advice(const sim::Result& result);

/// More threads (of each rank on this machine) than can run at the same time; none when they can.
std::vector<std::string> thread_advice(int threads, const sim::Cores& cores);

}  // namespace dbandit::report
