#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/json_value.hpp"
#include "stats/risk.hpp"

/// Risk beside the mean: the final regret of a bad replica. The bar of `above` is a quarter of what uniform play loses on average, by its
/// formula (model/uniform_play.hpp), in the policy's setting.
namespace dbandit::report {

std::vector<stats::Risk> risks(const sim::Result& result);

/// One row per policy and figure; an end that so few replicas cannot have is inf.
inline constexpr std::string_view kRiskHeading = "policy,figure,regret,ci_low,ci_high,bar";
inline constexpr std::size_t kRiskFigures = 4;
std::string risk_csv(const sim::Result& result);
/// [{policy, p95, p99, shortfall, above, bar, replicas, replicas_for_p99}], ends that are missing null.
Json risk_json(const sim::Result& result);
/// A table, and a warning where the replicas cannot support a quantile.
std::string risk_table(const sim::Result& result, const Style& style);

}  // namespace dbandit::report
