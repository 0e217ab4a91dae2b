#pragma once

namespace dbandit::model {

/// What is observed by the end of round t is the short delays: a pull of round s shows a delay d only if d ≤ t − s. Where conversions
/// come at a constant rate, an observed delay is d with a chance in proportion to P(D = d)(t − d), d = 0 … t − 1 (a pull in each of t
/// rounds). For geometric delays of mean μ its expectation is
///   μ − (μ(1+μ)(1 − ρ^t) − μ t ρ^t) / (t − μ(1 − ρ^t)),   ρ = μ/(1+μ):
/// what the mean of observed delays estimates instead of μ.
double mean_of_observed_delays(double mu, double t);

/// The μ that makes `count` observed delays of sum `total` likeliest under that law (appendix D corrected for truncation): an
/// exponential family, so the one whose expectation is their mean. None is too long for delays whose mean exceeds that of μ = t: then
/// t, for by round t nothing tells longer ones apart.
double truncated_mean(double count, double total, double t);

}  // namespace dbandit::model
