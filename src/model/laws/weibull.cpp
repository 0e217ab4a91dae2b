#include "core/gamma_function.hpp"
#include "model/continuous_law.hpp"

namespace dbandit::model {

extern const ContinuousLaw kWeibull{
    .name = "weibull",
    .parameters = {{{"shape", 0.1, 100}, {"scale", 1e-3, 1e7}}},
    .example = "0.7,400",
    .summary = "whole part of X, P(X > x) = exp(-(x/SCALE)^SHAPE)",
    .survival = [](const DoubleDouble& shape, const DoubleDouble& scale, const DoubleDouble& x) { return exp(-pow(x / scale, shape)); },
    .cdf = [](const DoubleDouble& shape, const DoubleDouble& scale, const DoubleDouble& x) { return -expm1(-pow(x / scale, shape)); },
    // ∫_n^∞ exp(−(x/s)^k) dx = (s/k) Γ(1/k, (n/s)^k).
    .beyond = [](const DoubleDouble& shape, const DoubleDouble& scale,
                 const DoubleDouble& n) { return scale / shape * upper_gamma(DoubleDouble(1) / shape, pow(n / scale, shape)); },
};

}  // namespace dbandit::model
