#include "dbandit/report/csv.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace dbandit::report {

std::string curve_csv(const sim::Result& result) {
  std::string csv = "policy,t,measure,mean,stderr,ci_low,ci_high\n";
  for (std::size_t p = 0; p < result.stats.policies.size(); ++p) {
    for (std::size_t record = 0; record < result.spec.at.size(); ++record) {
      for (const sim::Measure& measure : sim::kMeasures) {
        const stats::Moments& moments = (result.stats.policies[p].*measure.curve)[record];
        const double half = result.half_width(moments);
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{}\n", result.spec.policies[p], result.spec.at[record], measure.name,
                       moments.mean, moments.standard_error(), moments.mean - half, moments.mean + half);
      }
    }
  }
  return csv;
}

}  // namespace dbandit::report
