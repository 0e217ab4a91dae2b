#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "model/continuous_law.hpp"

namespace dbandit::model {

extern const ContinuousLaw kWeibull{
    .name = "weibull",
    .parameters = {{{"shape", 0.1, 100}, {"scale", 1e-3, 1e7}}},
    .example = "0.7,400",
    .summary = "whole part of X, P(X > x) = exp(-(x/SCALE)^SHAPE)",
    .survival = [](long double shape, long double scale, long double x) { return std::exp(-std::pow(x / scale, shape)); },
    .cdf = [](long double shape, long double scale, long double x) { return -std::expm1(-std::pow(x / scale, shape)); },
    // ∫_n^∞ exp(−(x/s)^k) dx = (s/k) Γ(1/k, (n/s)^k).
    .beyond = [](long double shape, long double scale,
                 long double n) { return scale / shape * boost::math::tgamma(1 / shape, std::pow(n / scale, shape)); },
};

}  // namespace dbandit::model
