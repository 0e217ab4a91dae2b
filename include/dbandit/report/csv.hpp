#pragma once

#include <string>

#include "dbandit/sim/result.hpp"

namespace dbandit::report {

/// The tidy curve, one row per policy, recorded round and measure: policy,t,measure,mean,stderr,ci_low,ci_high.
/// Numbers are the shortest text that reads back to the same double, so equal results are equal bytes.
std::string curve_csv(const sim::Result& result);

}  // namespace dbandit::report
