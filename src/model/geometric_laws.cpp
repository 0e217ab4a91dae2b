// Laws made of geometric ones: Geometric, Mixture, NegativeBinomial.
#include "laws.hpp"

namespace dbandit::model {

namespace {

DoubleDouble total_weight(const Mixture& law) {
  DoubleDouble total = 0;
  for (const auto& part : law.parts) total += part.weight;
  return total;
}

}  // namespace

DoubleDouble log_ratio(double mean) { return -log1p(DoubleDouble(1) / mean); }

double mean_of(const Geometric& law) { return law.mean; }

DoubleDouble survival_of(const Geometric& law, std::int64_t d) {
  return law.mean == 0 ? 0 : exp((DoubleDouble::of(d) + 1.0) * log_ratio(law.mean));
}

DoubleDouble cdf_of(const Geometric& law, std::int64_t d) {
  return law.mean == 0 ? 1 : -expm1((DoubleDouble::of(d) + 1.0) * log_ratio(law.mean));
}

double mean_of(const Mixture& law) {
  DoubleDouble sum = 0;
  for (const auto& part : law.parts) sum += DoubleDouble(part.weight) * part.mean;
  return static_cast<double>(sum / total_weight(law));
}

DoubleDouble survival_of(const Mixture& law, std::int64_t d) {
  DoubleDouble sum = 0;
  for (const auto& part : law.parts) sum += DoubleDouble(part.weight) * survival_of(Geometric{part.mean}, d);
  return sum / total_weight(law);
}

DoubleDouble cdf_of(const Mixture& law, std::int64_t d) {
  DoubleDouble sum = 0;
  for (const auto& part : law.parts) sum += DoubleDouble(part.weight) * cdf_of(Geometric{part.mean}, d);
  return sum / total_weight(law);
}

double mean_of(const NegativeBinomial& law) { return law.mean; }

/// In stage i + 1 after d + 1 failures and i successes: C(d + i, i) p^i q^{d+1}; D > d iff some stage still holds the conversion.
DoubleDouble survival_of(const NegativeBinomial& law, std::int64_t d) {
  if (law.mean == 0) return 0;
  const auto r = DoubleDouble::of(law.stages);
  const DoubleDouble p = r / (r + law.mean);
  DoubleDouble term = exp(-((DoubleDouble::of(d) + 1.0) * log1p(r / law.mean))), sum = term;
  for (std::int64_t i = 1; i < law.stages; ++i) {
    term *= p * DoubleDouble::of(d + i) / DoubleDouble::of(i);
    sum += term;
  }
  return sum < 1.0 ? sum : 1.0;
}

/// 1 − P(D > d); where that would leave few digits, the sum of its terms C(r − 1 + j, j) p^r q^j, j ≤ d.
DoubleDouble cdf_of(const NegativeBinomial& law, std::int64_t d) {
  if (law.mean == 0) return 1;
  const DoubleDouble below = DoubleDouble(1) - survival_of(law, d);
  if (1e-9 < below) return below;
  const auto r = DoubleDouble::of(law.stages);
  const DoubleDouble q = DoubleDouble(law.mean) / (r + law.mean);
  DoubleDouble term = exp(-(r * log1p(DoubleDouble(law.mean) / r))), sum = term;
  for (std::int64_t j = 1; j <= d; ++j) {
    term *= q * DoubleDouble::of(law.stages - 1 + j) / DoubleDouble::of(j);
    sum += term;
  }
  return sum;
}

Mixture criteo(double minutes) {
  constexpr struct {
    double weight, minutes;
  } kParts[] = {{0.320752413188312730, 10}, {0.125027743653140272, 240}, {0.554219843158546999, 13903.1895194595772}};
  Mixture law;
  // An exponential law of mean m, cut into rounds: ρ = exp(−minutes/m), and μ = ρ/(1−ρ) is the mean in rounds.
  for (const auto& part : kParts) {
    law.parts.push_back({part.weight, static_cast<double>(DoubleDouble(1) / expm1(DoubleDouble(minutes) / part.minutes))});
  }
  return law;
}

}  // namespace dbandit::model
