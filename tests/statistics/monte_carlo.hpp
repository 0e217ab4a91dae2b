#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "reference/enumerate.hpp"
#include "reference/exact_cases.hpp"
#include "reference/worlds.hpp"

namespace dbandit::testing {

/// z-scores of a simulated case against exact expectations. The largest of a handful of normal deviates passes 4.5 once in 30 000
/// seeds; the seeds here are fixed.
inline constexpr double kSigmas = 4.5;

struct Agreement {
  double regret;    ///< z of E[L(T)]
  double realised;  ///< z of the realised regret, whose expectation is L(T) too (Lemma 1)
  double pulls;     ///< z of E[N] of the second arm; 0 if it is certain and right
};

inline void expect_agreement(const Agreement& z, std::string_view what = {}) {
  EXPECT_LT(std::abs(z.regret), kSigmas) << what;
  EXPECT_LT(std::abs(z.realised), kSigmas) << what;
  EXPECT_LT(std::abs(z.pulls), kSigmas) << what;
}

inline Agreement compare(const model::Experiment& e, std::size_t replicas, double regret, double pulls) {
  model::Paths p;
  reference::simulate(e, {.first = 0, .count = replicas}, model::Exposure::buffer, p);
  const auto z = [&](const AlignedVector<double>& rows, std::size_t index, double expected) {
    const stats::Moments sample = row(rows, p, index, replicas);
    // A case that is certain has no spread: then the mean itself must be right.
    return sample.variance < 1e-20 ? (sample.mean - expected) * 1e12 : z_score(sample, expected);
  };
  return {z(p.regret, 0, regret), z(p.realised_regret, 0, regret), z(p.pulls, 1, pulls)};
}

}  // namespace dbandit::testing
