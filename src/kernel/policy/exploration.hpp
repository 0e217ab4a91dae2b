#pragma once

#include <cstdint>

namespace dbandit::kernel {

/// Indices closer than this, relatively, are tied. Ñ carries a rounding noise of a few 1e-16 that depends on how it is computed; arms
/// whose indices are equal by definition (the same S and M, all pulls matured) must not be told apart by it.
inline constexpr double kTie = 1e-12;

/// β(t) = (1+ε) ln t, in one place so that every decision sees the same bits. xsimd's logarithm and not the C library's, whose last bit
/// depends on the CPU it runs on.
double exploration(double epsilon, std::int64_t round);
/// base^exponent, by the same logarithm.
double power(double base, double exponent);

/// β and √β of the round, computed for many rounds at once.
struct Exploration {
  static constexpr int kAhead = 64;
  double epsilon = 0;
  double beta = 0, root_beta = 0;
  std::int64_t first = 0;  ///< round of the first entry; 0: none yet
  double ahead[kAhead] = {};
  double root_ahead[kAhead] = {};

  void look_up(std::int64_t round);
};

}  // namespace dbandit::kernel
