#include <limits>

#include "model/continuous_law.hpp"

namespace dbandit::model {

/// Lomax: support from 0. The mean is infinite for shape ≤ 1.
extern const ContinuousLaw kPareto{
    .name = "pareto",
    .parameters = {{{"shape", 0.05, 100}, {"scale", 1e-3, 1e7}}},
    .example = "2,500",
    .summary = "whole part of X, P(X > x) = (1 + x/SCALE)^-SHAPE; SHAPE <= 1 only with a window",
    .survival = [](const DoubleDouble& shape, const DoubleDouble& scale, const DoubleDouble& x) { return exp(-shape * log1p(x / scale)); },
    .cdf = [](const DoubleDouble& shape, const DoubleDouble& scale, const DoubleDouble& x) { return -expm1(-shape * log1p(x / scale)); },
    .beyond =
        [](const DoubleDouble& shape, const DoubleDouble& scale, const DoubleDouble& n) {
          return 1.0 < shape ? scale / (shape - 1.0) * pow(n / scale + 1.0, -(shape - 1.0)) : std::numeric_limits<double>::infinity();
        },
};

}  // namespace dbandit::model
