#pragma once

#include <string>
#include <string_view>

#include "dbandit/sim/result.hpp"

/// Tables for other programs. Numbers are the shortest text that reads back to the same double, so equal results are equal
/// bytes.
namespace dbandit::report {

/// A cell: between quotes where the text has commas, as a policy with two settings does.
std::string csv_cell(std::string_view text);

/// The tidy curve, one row per policy, recorded round and measure.
inline constexpr std::string_view kCurveHeading = "policy,t,measure,mean,stderr,ci_low,ci_high";
std::string curve_csv(const sim::Result& result);

/// Quantiles of the regret over the replicas, one row per policy and round at which they were kept.
inline constexpr std::string_view kBandHeading = "policy,t,p10,p50,p90";
inline constexpr std::string_view kBandMeasure = "regret";
std::string band_csv(const sim::Result& result);

/// The distribution of the final regret over the replicas: its 1 %, 2 %, …, 99 % quantiles, one row per policy and quantile.
inline constexpr std::string_view kDistributionHeading = "policy,percent,regret";
inline constexpr int kLastPercent = 99;
std::string distribution_csv(const sim::Result& result);

}  // namespace dbandit::report
