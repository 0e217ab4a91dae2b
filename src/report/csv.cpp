#include "report/csv.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

#include "sim/sums.hpp"

namespace dbandit::report {

std::string csv_cell(std::string_view text) {
  return text.find(',') == std::string_view::npos ? std::string(text) : '"' + std::string(text) + '"';
}

std::string curve_csv(const sim::Result& result) {
  std::string csv = std::string(kCurveHeading) + '\n';
  for (std::size_t p = 0; p < result.stats.policies.size(); ++p) {
    for (std::size_t record = 0; record < result.spec->at.size(); ++record) {
      for (const sim::Measure& measure : sim::kMeasures) {
        const stats::Moments& moments = (result.stats.policies[p].*measure.curve)[record];
        const double half = result.half_width(moments);
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{}\n", csv_cell(result.spec->policies[p].id), result.spec->at[record],
                       measure.name, moments.mean, moments.standard_error(), moments.mean - half, moments.mean + half);
      }
    }
  }
  return csv;
}

std::string band_csv(const sim::Result& result) {
  std::string csv = std::string(kBandHeading) + '\n';
  const std::vector<std::size_t> records = sim::spread_records(result.spec->at.size());
  for (std::size_t p = 0; p < result.stats.policies.size(); ++p) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const stats::Quantiles& spread = result.stats.policies[p].spread[i];
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{}\n", csv_cell(result.spec->policies[p].id), result.spec->at[records[i]],
                     spread.quantile(0.1), spread.quantile(0.5), spread.quantile(0.9));
    }
  }
  return csv;
}

std::string distribution_csv(const sim::Result& result) {
  std::string csv = std::string(kDistributionHeading) + '\n';
  for (std::size_t p = 0; p < result.stats.policies.size(); ++p) {
    for (int percent = 1; percent <= kLastPercent; ++percent) {
      fmt::format_to(std::back_inserter(csv), "{},{},{}\n", csv_cell(result.spec->policies[p].id), percent,
                     result.stats.policies[p].final_regret().quantile(percent / 100.0));
    }
  }
  return csv;
}

}  // namespace dbandit::report
