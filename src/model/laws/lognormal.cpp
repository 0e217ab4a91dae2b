#include <cmath>

#include "model/continuous_law.hpp"

namespace dbandit::model {
namespace {

/// P(Z > z) of a standard normal Z.
long double above(long double z) {
  constexpr long double kSqrtHalf = 0.70710678118654752440L;
  return std::erfc(z * kSqrtHalf) / 2;
}

}  // namespace

extern const ContinuousLaw kLogNormal{
    .name = "lognormal",
    .parameters = {{{"mu", -10, 16}, {"sigma", 0.01, 5}}},
    .example = "5,1.5",
    .summary = "whole part of X, ln X normal of mean MU and standard deviation SIGMA",
    .survival = [](long double mu, long double sigma, long double x) { return above((std::log(x) - mu) / sigma); },
    .cdf = [](long double mu, long double sigma, long double x) { return above(-((std::log(x) - mu) / sigma)); },
    // ∫_n^∞ P(X > x) dx = E[(X − n)⁺].
    .beyond =
        [](long double mu, long double sigma, long double n) {
          return std::exp(mu + sigma * sigma / 2) * above(-((mu + sigma * sigma - std::log(n)) / sigma)) -
                 n * above(-((mu - std::log(n)) / sigma));
        },
};

}  // namespace dbandit::model
