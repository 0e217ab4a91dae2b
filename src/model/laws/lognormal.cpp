
#include "model/continuous_law.hpp"

namespace dbandit::model {
namespace {

/// P(Z > z) of a standard normal Z.
DoubleDouble above(const DoubleDouble& z) {
  constexpr DoubleDouble kSqrtHalf{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
  return erfc(z * kSqrtHalf) / 2.0;
}

}  // namespace

extern const ContinuousLaw kLogNormal{
    .name = "lognormal",
    .parameters = {{{"mu", -10, 16}, {"sigma", 0.01, 5}}},
    .example = "5,1.5",
    .summary = "whole part of X, ln X normal of mean MU and standard deviation SIGMA",
    .survival = [](const DoubleDouble& mu, const DoubleDouble& sigma, const DoubleDouble& x) { return above((log(x) - mu) / sigma); },
    .cdf = [](const DoubleDouble& mu, const DoubleDouble& sigma, const DoubleDouble& x) { return above(-((log(x) - mu) / sigma)); },
    // ∫_n^∞ P(X > x) dx = E[(X − n)⁺].
    .beyond =
        [](const DoubleDouble& mu, const DoubleDouble& sigma, const DoubleDouble& n) {
          return exp(mu + sigma * sigma / 2.0) * above(-((mu + sigma * sigma - log(n)) / sigma)) - n * above(-((mu - log(n)) / sigma));
        },
};

}  // namespace dbandit::model
