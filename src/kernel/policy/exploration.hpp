#pragma once

#include <cstdint>

#include "dbandit/model/experiment.hpp"

namespace dbandit::kernel {

using model::kTie;

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
