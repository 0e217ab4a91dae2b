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
  long double sum = 0;
  for (std::int64_t n = kFirst - 1; n >= 1; --n) sum += survival_of(law, n - 1);
  const long double here = survival_of(law, kFirst - 1), slope = (survival_of(law, kFirst) - survival_of(law, kFirst - 2)) / 2;
  return static_cast<double>(sum + law.of->beyond(law.first, law.second, kFirst) + here / 2 - slope / 12);
}

long double survival_of(const Discretised& law, std::int64_t d) { return law.of->survival(law.first, law.second, d + 1.0L); }

long double cdf_of(const Discretised& law, std::int64_t d) { return law.of->cdf(law.first, law.second, d + 1.0L); }

}  // namespace dbandit::model
