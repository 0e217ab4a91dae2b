#include <cmath>
#include <limits>

#include "model/continuous_law.hpp"

namespace dbandit::model {

/// Lomax: support from 0. The mean is infinite for shape ≤ 1.
extern const ContinuousLaw kPareto{
    .name = "pareto",
    .parameters = {{{"shape", 0.05, 100}, {"scale", 1e-3, 1e7}}},
    .example = "2,500",
    .summary = "whole part of X, P(X > x) = (1 + x/SCALE)^-SHAPE; SHAPE <= 1 only with a window",
    .survival = [](long double shape, long double scale, long double x) { return std::exp(-shape * std::log1p(x / scale)); },
    .cdf = [](long double shape, long double scale, long double x) { return -std::expm1(-shape * std::log1p(x / scale)); },
    .beyond =
        [](long double shape, long double scale, long double n) {
          return shape <= 1 ? std::numeric_limits<long double>::infinity() : scale / (shape - 1) * std::pow(1 + n / scale, 1 - shape);
        },
};

}  // namespace dbandit::model
