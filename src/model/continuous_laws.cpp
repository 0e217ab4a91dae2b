#include <cmath>

#include "laws.hpp"
#include "model/continuous_law.hpp"

namespace dbandit::model {

extern const ContinuousLaw kWeibull, kLogNormal, kPareto;  // each in its file in laws/

std::span<const ContinuousLaw* const> continuous_laws() {
  static constexpr const ContinuousLaw* kAll[] = {&kWeibull, &kLogNormal, &kPareto};
  return kAll;
}

/// E⌊X⌋ = Σ_{n ≥ 1} P(X ≥ n): the first terms one by one, the rest by Euler and Maclaurin from P(X ≥ ·) and its integral. With so many
/// terms before it the next correction, a third derivative over 720, is below the last digit of a double.
double mean_of(const Discretised& law) {
  constexpr std::int64_t kFirst = 4096;
  const DoubleDouble beyond = law.of->beyond(law.first, law.second, static_cast<double>(kFirst));
  if (std::isinf(beyond.high)) return beyond.high;
  DoubleDouble sum = 0;
  for (std::int64_t n = kFirst - 1; n >= 1; --n) sum += survival_of(law, n - 1);
  const DoubleDouble here = survival_of(law, kFirst - 1), slope = (survival_of(law, kFirst) - survival_of(law, kFirst - 2)) / 2.0;
  return static_cast<double>(sum + beyond + here / 2.0 - slope / 12.0);
}

DoubleDouble survival_of(const Discretised& law, std::int64_t d) {
  return law.of->survival(law.first, law.second, (DoubleDouble::of(d) + 1.0));
}

DoubleDouble cdf_of(const Discretised& law, std::int64_t d) { return law.of->cdf(law.first, law.second, (DoubleDouble::of(d) + 1.0)); }

}  // namespace dbandit::model
