#include "rng/gamma.hpp"

#include <algorithm>

namespace dbandit::rng {

double exp_of_negative(double x) {
  const double bounded = std::max(x, -600.0);
  // x = k ln 2 + r: the product with the leading bits of ln 2 is exact, so r keeps its digits.
  const double k = std::floor(bounded * 1.44269504088896340736 + 0.5);
  const double r = (bounded - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 1;
  for (int i = 13; i > 0; --i) sum = 1 + r / i * sum;
  return std::ldexp(sum, static_cast<int>(k));
}

double gamma_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double shape) {
  if (shape < 1) {
    // Gamma(shape) is Gamma(shape + 1) U^(1/shape).
    const double u = open_uniform(words(seed, Stream::policy, arm, replica + kBoost * kAttempt, round)[0] >> 12);
    return gamma_at(seed, replica, round, arm, shape + 1) * exp_of_negative(log_of<ScalarMath>(u) / shape);
  }
  for (std::uint64_t attempt = 0;; ++attempt) {
    const Words word = words(seed, Stream::policy, arm, replica + attempt * kAttempt, round);
    const GammaDraw<ScalarMath> draw = gamma_draw<ScalarMath>(word[0], word[1]);
    const GammaAttempt<ScalarMath> tried = gamma_attempt<ScalarMath>(shape, draw.normal);
    if (!(tried.root > 0)) continue;
    if (draw.uniform < tried.sure) return tried.value;
    const double d = shape - 1.0 / 3.0;
    const double limit = 0.5 * (draw.normal * draw.normal) + d * ((1 - tried.cube) + log_of<ScalarMath>(tried.cube));
    if (log_of<ScalarMath>(draw.uniform) < limit) return tried.value;
  }
}

}  // namespace dbandit::rng
