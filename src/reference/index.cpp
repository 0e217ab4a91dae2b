#include "reference/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "dbandit/model/bounds.hpp"

namespace dbandit::reference {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// d_Pois(p, q) = p ln(p/q) + q − p for 0 < p ≤ q, as p(y − ln(1+y)) with y = (q−p)/p: q − p is exact while q ≤ 2p, so the
/// difference of two nearly equal terms keeps its digits where the printed form would lose them.
double poisson_divergence_above(double p, double q) {
  const double y = (q - p) / p;
  return p * (y - log1p_of(y));
}

}  // namespace

double exploration(double epsilon, std::int64_t round) { return (1 + epsilon) * log_of(static_cast<double>(round)); }

double ucb_index(const ArmStatistics& arm, double beta) {
  if (arm.exposure <= 0) return kUnbounded;
  return (arm.conversions + std::sqrt(arm.pulls * beta / 2)) / arm.exposure;
}

double klucb_index(const ArmStatistics& arm, double beta, model::Clamp clamp) {
  const double cap = clamp == model::Clamp::one ? 1.0 : kUnbounded;
  if (arm.exposure <= 0) return cap;
  const double estimate = arm.conversions / arm.exposure;
  if (estimate >= cap) return cap;
  // d_Pois(0, q) = q.
  if (arm.conversions == 0) return std::min(cap, beta / arm.exposure);

  const auto allowed = [&](double q) { return arm.exposure * poisson_divergence_above(estimate, q) <= beta; };
  // U < θ̂ + sqrt(2θ̂β/Ñ) + β/Ñ, since x − 1 − ln x = c has its root x > 1 below 1 + sqrt(2c) + c.
  double high = cap < kUnbounded ? cap : estimate + std::sqrt(2 * estimate * beta / arm.exposure) + beta / arm.exposure;
  if (allowed(high)) return high;
  double low = estimate;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    (allowed(middle) ? low : high) = middle;
  }
}

double patient_index(const ArmStatistics& arm, double beta, double alpha) {
  const double allowance = alpha < 0.5 ? exp_of(-alpha * log_of(arm.pulls)) : 1 / std::sqrt(arm.pulls);
  return arm.conversions / arm.pulls + std::sqrt(beta / (2 * arm.pulls)) + allowance;
}

std::vector<double> imed_indices(std::span<const ArmStatistics> arms) {
  double best = 0;
  for (const ArmStatistics& arm : arms) {
    if (arm.exposure > 0) best = std::max(best, arm.conversions / arm.exposure);
  }
  std::vector<double> indices;
  for (const ArmStatistics& arm : arms) {
    if (arm.exposure <= 0) {
      indices.push_back(-kUnbounded);
      continue;
    }
    const double estimate = arm.conversions / arm.exposure;
    const double divergence = arm.conversions == 0 ? best : estimate < best ? poisson_divergence_above(estimate, best) : 0;
    indices.push_back(arm.exposure * divergence + log_of(arm.exposure));
  }
  return indices;
}

std::vector<std::size_t> minimisers(std::span<const double> indices) {
  const double least = *std::min_element(indices.begin(), indices.end());
  std::vector<std::size_t> arms;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] == least || indices[k] <= least + kTie * (1 + std::abs(least))) arms.push_back(k);
  }
  return arms;
}

double bernkl_index(const ArmStatistics& arm, double beta, model::Clamp clamp) {
  const double cap = clamp == model::Clamp::one ? 1.0 : kUnbounded;
  if (arm.exposure <= 0) return cap;
  const double share = arm.conversions / arm.pulls, visible = arm.exposure / arm.pulls;
  const auto allowed = [&](double q) { return arm.pulls * model::bernoulli_divergence(share, q) <= beta; };
  double low = share, high = 1;
  while (share < 1) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (allowed(middle) ? low : high) = middle;
  }
  return std::min(cap, low / visible);
}

double index(const model::Rule& rule, const ArmStatistics& arm, double beta) {
  switch (rule.index) {
    case model::IndexForm::ucb:
      return ucb_index(arm, beta);
    case model::IndexForm::klucb:
      return klucb_index(arm, beta, rule.clamp);
    case model::IndexForm::bernkl:
      return bernkl_index(arm, beta, rule.clamp);
    case model::IndexForm::patient:
      return patient_index(arm, beta, rule.alpha);
    case model::IndexForm::thompson:
    case model::IndexForm::imed:
    case model::IndexForm::batches:
    case model::IndexForm::phases:
      break;
  }
  return 0;
}

std::vector<std::size_t> maximisers(std::span<const double> indices) {
  const double best = *std::max_element(indices.begin(), indices.end());
  std::vector<std::size_t> arms;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] >= best * (1 - kTie)) arms.push_back(k);
  }
  return arms;
}

}  // namespace dbandit::reference
