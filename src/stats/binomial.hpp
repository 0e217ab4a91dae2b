#pragma once

/// The binomial law and its conjugate from + − × ÷ and our own logarithm: the same numbers on every processor.
namespace dbandit::stats {

/// I_x(a, b), the regularised incomplete beta function, a, b ≥ 1, 0 ≤ x ≤ 1: P(X ≤ x) of Beta(a, b). Relative error of the smaller of it
/// and 1 − I below 1e-11 for a + b ≤ 10^4, and growing with √(a + b) beyond.
double incomplete_beta(double a, double b, double x);

/// P(B ≤ k), B ~ Binomial(n, q), 0 < q < 1.
double binomial_cdf(double n, double q, double k);

/// x with I_x(a, b) = p.
double beta_quantile(double a, double b, double p);

}  // namespace dbandit::stats
