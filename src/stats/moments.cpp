#include "dbandit/stats/moments.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "stats/student.hpp"

namespace dbandit::stats {

namespace {

/// Quantile 1 − alpha/2 of Student's law. One run asks for the same at every record of every policy, so the last answer is
/// kept; per thread, hence without a lock.
double remembered_quantile(double degrees, double alpha) {
  thread_local double last_degrees = 0, last_alpha = 0;
  thread_local double last_quantile = 0;
  if (degrees != last_degrees || alpha != last_alpha) {
    last_quantile = student_quantile(degrees, 1 - (1 - alpha / 2));
    last_degrees = degrees;
    last_alpha = alpha;
  }
  return last_quantile;
}

}  // namespace

double Moments::standard_error() const { return count < 2 ? 0 : std::sqrt(variance / count); }

Moments moments(std::span<const double> sample) {
  if (sample.empty()) return {};
  const auto count = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / count;
  // Mean first, then centred squares: a single pass would lose the variance of a sample far from zero.
  double squares = 0;
  for (const double value : sample) squares += (value - mean) * (value - mean);
  return {count, mean, sample.size() < 2 ? 0 : squares / (count - 1)};
}

double half_width(const Moments& moments, double alpha) {
  if (moments.count < 2) return std::numeric_limits<double>::infinity();
  return remembered_quantile(moments.count - 1, alpha) * moments.standard_error();
}

}  // namespace dbandit::stats
