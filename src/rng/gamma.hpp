#pragma once

#include <bit>
#include <cstdint>

#include "rng/draws.hpp"

/// Gamma variates of scale 1 as a pure function of an address: the quantile of the law at one uniform. Only +, −, ×, ÷, √ and operations
/// on the bits of a number are used, each rounded as IEEE says, so every machine gives the same bytes.
namespace dbandit::rng {

/// The uniform of a policy that randomises, as its 52 bits: a tie key's address in the policy's stream gives the leading 32, which are
/// enough for most decisions; the same place of the call at index arm + 2^23 gives the 20 others.
std::uint32_t policy_key(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm);
std::uint64_t policy_bits(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm);

/// x with P(Gamma(shape, 1) ≤ x) = lower, given with upper = 1 − lower, both positive; shape > 0. Relative error below kQuantileError;
/// never below e^-600, so that no result is subnormal.
double gamma_quantile(double shape, double lower, double upper);
inline constexpr double kQuantileError = 2e-13;  ///< shape in [0.1, 10^6]

/// The Gamma(shape, 1) variate at an address.
double gamma_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double shape);

/// The Beta(successes, failures) variate at an address: X/(X + Y) of the Gamma variates X at the address and Y at that of arm + 2^22.
double beta_at(std::uint64_t seed, std::uint64_t replica, std::uint64_t round, std::uint64_t arm, double successes, double failures);
inline constexpr std::uint64_t kSecondVariate = 1 << 22;

/// The quantile as a filter sees it: in z = Φ⁻¹(lower) its cube root is nearly a line (Wilson and Hilferty 1931), here a polynomial, for z
/// within [least, kMost]. The coefficients are those of a shape, so they change only when a conversion is seen.
struct QuantileFit {
  static constexpr int kDegree = 6;
  static constexpr double kMost = 4.0;
  float coefficient[kDegree + 1];  ///< of the cube root of quantile/shape
  float least;
  float error;  ///< bound of the relative error of the estimate, with what single precision and the estimate of z lose; 1: no estimate
};
QuantileFit quantile_fit(double shape);

}  // namespace dbandit::rng
