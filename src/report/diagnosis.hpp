#pragma once

#include "report/findings.hpp"
#include "report/stored.hpp"

namespace dbandit::report {

/// What a stored result can and cannot support: its intervals, quantiles, window, horizon, ties, priors and beliefs.
std::vector<Finding> diagnosis(const StoredResult& result);

}  // namespace dbandit::report
