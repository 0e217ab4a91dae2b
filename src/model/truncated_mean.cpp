#include "model/truncated_mean.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>

#include "core/elementary.hpp"

namespace dbandit::model {

double mean_of_observed_delays(double mu, double t) {
  if (mu == 0) return 0;
  const double log_left = -t * log1p_of(1 / mu);
  const auto [left, less_one] = exponential(log_left);
  const double gone = -less_one;
  return mu - (mu * (1 + mu) * gone - mu * t * left) / (t - mu * gone);
}

double truncated_mean(double count, double total, double t) {
  const double observed = total / count;
  if (observed == 0) return 0;
  const auto excess = [&](double mu) { return mean_of_observed_delays(mu, t) - observed; };
  const double above = excess(t);
  if (!(above > 0)) return t;
  // Truncation only shortens, so the mean of what is observed is below μ.
  const double below = excess(observed);
  if (!(below < 0)) return observed;
  std::uintmax_t evaluations = 60;
  const auto bracket =
      boost::math::tools::toms748_solve(excess, observed, t, below, above, boost::math::tools::eps_tolerance<double>(30), evaluations);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace dbandit::model
