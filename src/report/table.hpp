#pragma once

#include <string>

#include "dbandit/model/bounds.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"

/// What a person reads: numbers rounded to what they can bear, and a line that says what each column means.
namespace dbandit::report {

/// One row per policy at the horizon; the footer defines the columns. No column of times where the result does not say what each
/// policy cost.
std::string result_table(const sim::Result& result, const Style& style);
/// Slopes of the bounds to six digits after the point.
std::string bounds_table(const model::Problem& problem, const model::Window& window, double epsilon, const Style& style);

/// "39.68 ± 0.51": a mean with its 95 % interval, both to the interval's second digit: more would be noise, less would hide a difference.
/// One replica has no interval.
std::string mean_text(double mean, double half);
std::string mean_text(const stats::Moments& moments);
/// "6.1 ns", "132 M": three digits and the power of ten as a word.
std::string duration_text(double seconds);
std::string count_text(double count);
/// "1.50 kB"
std::string bytes_text(double bytes);

}  // namespace dbandit::report
