// Laws made of geometric ones: Geometric, Mixture, NegativeBinomial.
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "laws.hpp"

namespace dbandit::model {

namespace {

long double total_weight(const Mixture& law) {
  long double total = 0;
  for (const auto& part : law.parts) total += part.weight;
  return total;
}

}  // namespace

long double log_ratio(double mean) { return -std::log1p(1.0L / mean); }

double mean_of(const Geometric& law) { return law.mean; }

long double survival_of(const Geometric& law, std::int64_t d) { return law.mean == 0 ? 0 : std::exp((d + 1.0L) * log_ratio(law.mean)); }

long double cdf_of(const Geometric& law, std::int64_t d) { return law.mean == 0 ? 1 : -std::expm1((d + 1.0L) * log_ratio(law.mean)); }

double mean_of(const Mixture& law) {
  long double sum = 0;
  for (const auto& part : law.parts) sum += static_cast<long double>(part.weight) * part.mean;
  return static_cast<double>(sum / total_weight(law));
}

long double survival_of(const Mixture& law, std::int64_t d) {
  long double sum = 0;
  for (const auto& part : law.parts) sum += part.weight * survival_of(Geometric{part.mean}, d);
  return sum / total_weight(law);
}

long double cdf_of(const Mixture& law, std::int64_t d) {
  long double sum = 0;
  for (const auto& part : law.parts) sum += part.weight * cdf_of(Geometric{part.mean}, d);
  return sum / total_weight(law);
}

double mean_of(const NegativeBinomial& law) { return law.mean; }

/// In stage i + 1 after d + 1 failures and i successes: C(d + i, i) p^i q^{d+1}; D > d iff some stage still holds the conversion.
long double survival_of(const NegativeBinomial& law, std::int64_t d) {
  if (law.mean == 0) return 0;
  const auto r = static_cast<long double>(law.stages);
  const long double p = r / (r + law.mean);
  long double term = std::exp((d + 1.0L) * -std::log1p(r / law.mean)), sum = term;
  for (std::int64_t i = 1; i < law.stages; ++i) {
    term *= p * static_cast<long double>(d + i) / static_cast<long double>(i);
    sum += term;
  }
  return sum < 1 ? sum : 1;
}

long double cdf_of(const NegativeBinomial& law, std::int64_t d) {
  if (law.mean == 0) return 1;
  const long double above = survival_of(law, d);
  if (above < 0.5L) return 1 - above;
  const auto r = static_cast<long double>(law.stages);
  return boost::math::ibeta(r, d + 1.0L, r / (r + law.mean));
}

Mixture criteo(double minutes) {
  constexpr struct {
    double weight, minutes;
  } kParts[] = {{0.320752413188312730, 10}, {0.125027743653140272, 240}, {0.554219843158546999, 13903.1895194595772}};
  Mixture law;
  // An exponential law of mean m, cut into rounds: ρ = exp(−minutes/m), and μ = ρ/(1−ρ) is the mean in rounds.
  for (const auto& part : kParts) {
    law.parts.push_back({part.weight, static_cast<double>(1 / std::expm1(static_cast<long double>(minutes) / part.minutes))});
  }
  return law;
}

}  // namespace dbandit::model
