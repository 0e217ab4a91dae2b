#include "fit/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace dbandit::fit {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// ∂ln L/∂θ and −∂²ln L/∂θ² of one arm.
struct Slope {
  double first, curvature;
};
template <class Waiting>
Slope slope(double conversions, double rate, const std::vector<Waiting>& waiting, std::span<const double> tau) {
  Slope sum{conversions / rate, conversions / (rate * rate)};
  for (const auto& [age, count] : waiting) {
    const double ratio = tau[age] / (1 - rate * tau[age]);
    sum.first -= count * ratio;
    sum.curvature += count * ratio * ratio;
  }
  return sum;
}

/// The zero of a falling slope in (0, 1]: Newton's steps, halving where one leaves the bracket.
template <class Waiting>
double best_rate(double conversions, const std::vector<Waiting>& waiting, std::span<const double> tau) {
  if (conversions == 0) return 0;
  double exposure = conversions;
  for (const auto& [age, count] : waiting) exposure += count * tau[age];
  double low = 0, high = 1, rate = conversions / exposure;
  for (int step = 0; step < 200; ++step) {
    const auto [first, curvature] = slope(conversions, rate, waiting, tau);
    if (!std::isfinite(first)) {  // a click that must have converted at this rate, and has not
      high = rate;
      rate = (low + high) / 2;
      continue;
    }
    (first > 0 ? low : high) = rate;
    if (rate == 1 && first >= 0) return 1;
    double next = rate + first / curvature;
    if (next >= 1 && high == 1) {
      next = 1;
    } else if (!(next > low && next < high)) {
      next = (low + high) / 2;
    }
    if (std::abs(next - rate) <= 1e-14 * rate) return next;
    rate = next;
  }
  return rate;
}

Seen summary(const std::map<std::int64_t, std::int64_t>& delays) {
  Seen seen{};
  double all = 0, sum = 0;
  for (const auto& [delay, count] : delays) {
    all += static_cast<double>(count);
    sum += static_cast<double>(count) * static_cast<double>(delay);
  }
  if (delays.empty()) return seen;
  const auto quantile = [&](double share) {
    double below = 0;
    for (const auto& [delay, count] : delays) {
      below += static_cast<double>(count);
      if (below >= share * all) return static_cast<double>(delay);
    }
    return static_cast<double>(delays.rbegin()->first);
  };
  return {sum / all, quantile(0.25), quantile(0.5), quantile(0.75), static_cast<double>(delays.rbegin()->first), delays.size() == 1};
}

}  // namespace

Likelihood::Likelihood(std::span<const ArmCounts> arms) {
  std::map<std::int64_t, std::int64_t> delays;
  std::map<std::int64_t, std::size_t> ages;
  for (const ArmCounts& arm : arms) {
    for (const auto& [delay, count] : arm.delays) delays[delay] += count;
    for (const auto& [rounds, count] : arm.waiting) ages[rounds - 1] = 0;
  }
  for (const auto& [delay, count] : delays) {
    delays_.push_back(static_cast<double>(delay));
    delay_counts_.push_back(static_cast<double>(count));
  }
  for (auto& [age, index] : ages) {
    index = ages_.size();
    ages_.push_back(static_cast<double>(age));
  }
  for (const ArmCounts& arm : arms) {
    Arm& into = arms_.emplace_back();
    into.conversions = static_cast<double>(arm.conversions());
    for (const auto& [rounds, count] : arm.waiting) into.waiting.push_back({ages.at(rounds - 1), static_cast<double>(count)});
  }
  seen_ = summary(delays);
}

double Likelihood::of_delays(const Family& family, std::span<const double> parameters) const {
  std::vector<double> log_p(delays_.size());
  family.log_pmf(parameters, delays_, log_p);
  double sum = 0;
  for (std::size_t i = 0; i < log_p.size(); ++i) sum += delay_counts_[i] * log_p[i];
  return std::isnan(sum) ? kImpossible : sum;
}

std::vector<double> Likelihood::visible(const Family& family, std::span<const double> parameters) const {
  std::vector<double> tau(ages_.size());
  family.cdf(parameters, ages_, tau);
  return tau;
}

double Likelihood::of_rate(const Arm& arm, double rate, std::span<const double> tau) {
  double sum = arm.conversions > 0 ? arm.conversions * std::log(rate) : 0;
  for (const auto& [age, count] : arm.waiting) sum += count * std::log(1 - rate * tau[age]);
  return std::isnan(sum) ? kImpossible : sum;
}

double Likelihood::at(const Family& family, std::span<const double> parameters, std::span<const double> rates) const {
  const std::vector<double> tau = visible(family, parameters);
  double sum = of_delays(family, parameters);
  for (std::size_t k = 0; k < arms_.size(); ++k) sum += of_rate(arms_[k], rates[k], tau);
  return sum;
}

double Likelihood::of_arm(const Family& family, std::span<const double> parameters, std::size_t arm, double rate) const {
  return of_rate(arms_[arm], rate, visible(family, parameters));
}

Likelihood::Profile Likelihood::profile(const Family& family, std::span<const double> parameters, std::span<const double> fixed) const {
  const std::vector<double> tau = visible(family, parameters);
  Profile best{of_delays(family, parameters), {}, {}};
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    const bool free = fixed.empty() || std::isnan(fixed[k]);
    const double rate = free ? best_rate(arms_[k].conversions, arms_[k].waiting, tau) : fixed[k];
    best.rates.push_back(rate);
    best.information.push_back(slope(arms_[k].conversions, rate, arms_[k].waiting, tau).curvature);
    best.log_likelihood += of_rate(arms_[k], rate, tau);
  }
  return best;
}

}  // namespace dbandit::fit
