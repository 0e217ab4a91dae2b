#pragma once

#include "core/double_double.hpp"
#include "dbandit/model/delay_law.hpp"

/// One overload of each function for each law. Twice a double's digits throughout: the same bytes on every processor, and rounding to a
/// double at the end keeps survivals in falling order.
namespace dbandit::model {

double mean_of(const Geometric& law);
double mean_of(const Mixture& law);
double mean_of(const Uniform& law);
double mean_of(const Constant& law);
double mean_of(const NegativeBinomial& law);
double mean_of(const Discretised& law);
double mean_of(const Empirical& law);

/// P(D > d), d ≥ 0.
DoubleDouble survival_of(const Geometric& law, std::int64_t d);
DoubleDouble survival_of(const Mixture& law, std::int64_t d);
DoubleDouble survival_of(const Uniform& law, std::int64_t d);
DoubleDouble survival_of(const Constant& law, std::int64_t d);
DoubleDouble survival_of(const NegativeBinomial& law, std::int64_t d);
DoubleDouble survival_of(const Discretised& law, std::int64_t d);
DoubleDouble survival_of(const Empirical& law, std::int64_t d);

/// P(D ≤ d), d ≥ 0, without cancellation.
DoubleDouble cdf_of(const Geometric& law, std::int64_t d);
DoubleDouble cdf_of(const Mixture& law, std::int64_t d);
DoubleDouble cdf_of(const Uniform& law, std::int64_t d);
DoubleDouble cdf_of(const Constant& law, std::int64_t d);
DoubleDouble cdf_of(const NegativeBinomial& law, std::int64_t d);
DoubleDouble cdf_of(const Discretised& law, std::int64_t d);
DoubleDouble cdf_of(const Empirical& law, std::int64_t d);

/// ln ρ = −ln(1 + 1/μ), without ρ, whose distance from 1 is what matters and would be rounded off; −∞ for a mean of 0.
DoubleDouble log_ratio(double mean);

}  // namespace dbandit::model
