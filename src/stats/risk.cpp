#include "stats/risk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/elementary.hpp"
#include "stats/binomial.hpp"
#include "stats/student.hpp"

namespace dbandit::stats {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kTail = 0.05;
constexpr double kNormal = 1e12;  ///< degrees of freedom at which Student's law is the normal one

/// The bins in rising order, with how many values are at most in each.
struct Ordered {
  std::vector<std::pair<double, std::uint64_t>> bins;  ///< centre, count up to it
  std::uint64_t count = 0;

  explicit Ordered(const Quantiles& sample) {
    for (const auto& [bin, many] : sample.bins()) bins.emplace_back(Quantiles::centre(bin), count += many);
  }
  /// The order statistic of a rank from 1 to count.
  [[nodiscard]] double at(std::uint64_t rank) const {
    return std::ranges::lower_bound(bins, rank, {}, &std::pair<double, std::uint64_t>::second)->first;
  }
};

RiskFigure quantile(const Ordered& ordered, double q, double alpha) {
  const auto n = static_cast<double>(ordered.count);
  const auto rank = static_cast<std::uint64_t>(std::clamp(std::ceil(q * n), 1.0, n));
  // The largest l with P(B < l) ≤ alpha/2, and the least u with P(B ≥ u) ≤ alpha/2; the chance of either is monotone in the rank.
  std::uint64_t low = 0, low_end = ordered.count + 1;
  while (low + 1 < low_end) {
    const std::uint64_t middle = low + (low_end - low) / 2;
    (binomial_cdf(n, q, static_cast<double>(middle) - 1) <= alpha / 2 ? low : low_end) = middle;
  }
  std::uint64_t high_end = 0, high = ordered.count + 1;
  while (high_end + 1 < high) {
    const std::uint64_t middle = high_end + (high - high_end) / 2;
    (1 - binomial_cdf(n, q, static_cast<double>(middle) - 1) <= alpha / 2 ? high : high_end) = middle;
  }
  return {ordered.at(rank), low == 0 ? -kNone : ordered.at(low), high > ordered.count ? kNone : ordered.at(high)};
}

RiskFigure shortfall(const Ordered& ordered, double alpha) {
  const auto n = static_cast<double>(ordered.count);
  const double q = ordered.at(static_cast<std::uint64_t>(std::clamp(std::ceil((1 - kTail) * n), 1.0, n)));
  double sum = 0, squares = 0;
  std::uint64_t before = 0;
  for (const auto& [centre, up_to] : ordered.bins) {
    const double excess = std::max(0.0, centre - q) / kTail, many = static_cast<double>(up_to - before);
    sum += many * excess;
    squares += many * excess * excess;
    before = up_to;
  }
  const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean) * n / std::max(1.0, n - 1);
  const double half = n < 2 ? kNone : student_quantile(kNormal, alpha / 2) * std::sqrt(variance / n);
  return {q + mean, q + mean - half, q + mean + half};
}

RiskFigure chance(double successes, double n, double alpha) {
  return {successes / n, successes == 0 ? 0 : beta_quantile(successes, n - successes + 1, alpha / 2),
          successes == n ? 1 : beta_quantile(successes + 1, n - successes, 1 - alpha / 2)};
}

}  // namespace

std::uint64_t replicas_for_quantile(double q, double alpha) { return static_cast<std::uint64_t>(std::ceil(log_of(alpha / 2) / log_of(q))); }

Risk risk(const Quantiles& sample, double bar, double alpha) {
  const Ordered ordered(sample);
  Risk risk{.bar = bar, .count = ordered.count, .needed = replicas_for_quantile(0.99, alpha)};
  if (ordered.count == 0) return risk;
  risk.p95 = quantile(ordered, 0.95, alpha);
  risk.p99 = quantile(ordered, 0.99, alpha);
  risk.shortfall = shortfall(ordered, alpha);
  std::uint64_t at_most = 0;
  for (const auto& [centre, up_to] : ordered.bins) {
    if (centre <= bar) at_most = up_to;
  }
  risk.above = chance(static_cast<double>(ordered.count - at_most), static_cast<double>(ordered.count), alpha);
  return risk;
}

}  // namespace dbandit::stats
