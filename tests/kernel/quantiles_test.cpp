#include <gtest/gtest.h>

#include <cmath>

#include "dbandit/core/aligned.hpp"
#include "kernel/internals.hpp"
#include "kernel/small_worlds.hpp"
#include "rng/gamma.hpp"

/// The filter of Thompson sampling: estimates of Gamma quantiles whose error is bounded.
namespace dbandit::testing {
namespace {

class Quantiles : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(EveryTarget, Quantiles, EachTarget(), kTargetName);

struct Keys {
  Keys() : of(1 << 14), normals(of.size()), estimates(of.size()) {
    // Evenly, and towards both ends by powers of two.
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto tail =
          static_cast<std::uint32_t>(std::exp2(32 - 20 * static_cast<double>(i / 4) / static_cast<double>(of.size() / 4)) - 1);
      const auto even = static_cast<std::uint32_t>(i * ((std::uint64_t{1} << 32) / of.size()));
      of[i] = i % 4 == 0 ? tail : i % 4 == 1 ? ~tail : even;
    }
  }
  AlignedVector<std::uint32_t> of;
  AlignedVector<float> normals, estimates;
};

/// The quantile at the middle of the uniforms with these leading bits.
double exact(double shape, std::uint32_t key) {
  const double lower = (key + 0.5) * 0x1p-32;
  return rng::gamma_quantile(shape, lower, 1 - lower);
}

// Every shape that a prior of 1 meets up to 40 and then on, and others; both ends of the range that a fit covers. The trailing bits of a
// uniform move its quantile too, less than the bound leaves.
TEST_P(Quantiles, AreEstimatedWithinTheBoundThatDecisionsRelyOn) {
  Keys keys;
  std::vector<double> shapes = {1.01, 1.5, 2.5, 3.7, 15.99, 16.5, 100, 1000, 1e4, 1e5, 1e7};
  for (int shape = 1; shape <= 40; ++shape) shapes.push_back(shape);
  for (const double shape : shapes) {
    const rng::QuantileFit fit = rng::quantile_fit(shape);
    GetParam().estimate_quantiles(shape, false, keys.of.data(), keys.normals.data(), keys.estimates.data(), keys.of.size());
    double worst = 0;
    std::size_t covered = 0;
    for (std::size_t i = 0; i<keys.of.size(); i += shape> 1000 ? 64 : 4) {
      for (std::size_t j = i; j < i + 3; ++j) {
        if (keys.normals[j] < fit.least) {
          ASSERT_GE(keys.estimates[j] * (1 + fit.error), exact(shape, keys.of[j])) << "not an upper bound: shape " << shape;
          continue;
        }
        if (keys.normals[j] > static_cast<float>(rng::QuantileFit::kMost)) continue;
        ++covered;
        worst = std::max(worst, std::abs(keys.estimates[j] / exact(shape, keys.of[j]) - 1));
      }
    }
    EXPECT_GT(covered, shape > 1000 ? 400u : 6000u);
    EXPECT_LT(worst, 0.9 * fit.error) << shape;
    EXPECT_LT(fit.error, shape < 4 ? 0.01 : 1e-4) << "a bound of 1 would pass and decide nothing: shape " << shape;
  }
}

// Without a fit, by the expansion: the same error from shape 16 on, where it is largest, and beyond both ends a bound on the side that the
// Beta sampler relies on.
TEST_P(Quantiles, AreEstimatedByTheExpansionWithinTheSameBound) {
  Keys keys;
  std::vector<double> shapes = {16, 16.01, 16.5, 20, 33.3, 50, 100, 256, 999.5, 1e4, 1e5, 1e7};
  for (int shape = 17; shape <= 32; ++shape) shapes.push_back(shape);
  for (const double shape : shapes) {
    const double error = rng::quantile_fit(shape).error;
    GetParam().estimate_quantiles(shape, true, keys.of.data(), keys.normals.data(), keys.estimates.data(), keys.of.size());
    double worst = 0;
    std::size_t covered = 0, below = 0, above = 0;
    for (std::size_t i = 0; i<keys.of.size(); i += shape> 1000 ? 64 : 4) {
      for (std::size_t j = i; j < i + 3; ++j) {
        const double z = keys.normals[j], ratio = keys.estimates[j] / exact(shape, keys.of[j]);
        if (z < -rng::QuantileFit::kMost) {
          ASSERT_GT(ratio, 1 - error) << "not an upper bound: shape " << shape;
          ++below;
        } else if (z > rng::QuantileFit::kMost) {
          ASSERT_LT(ratio, 1 + error) << "not a lower bound: shape " << shape;
          ++above;
        } else {
          ++covered;
          worst = std::max(worst, std::abs(ratio - 1));
        }
      }
    }
    EXPECT_GT(covered, shape > 1000 ? 400u : 6000u);
    EXPECT_GT(std::min(below, above), shape > 1000 ? 10u : 100u);
    EXPECT_LT(worst, 0.9 * error) << shape;
  }
}

TEST(QuantileExpansion, HasTheErrorOfTheFit) {
  for (const double shape : {16.0, 17.0, 40.0, 300.0, 1e4, 1e8}) {
    const xsimd::batch<float, kernel::Baseline> s(static_cast<float>(1 / std::sqrt(shape)));
    EXPECT_NEAR(kernel::expanded_error<kernel::Baseline>(s).get(0) / rng::quantile_fit(shape).error, 1, 1e-5) << shape;
  }
}

// z of a uniform, and the ends that `resolve` knows by their keys.
TEST_P(Quantiles, SeeTheNormalQuantileAndWhereAFitEnds) {
  Keys keys;
  GetParam().estimate_quantiles(1, false, keys.of.data(), keys.normals.data(), keys.estimates.data(), keys.of.size());
  for (std::size_t i = 0; i < keys.of.size(); ++i) {
    const double z = keys.normals[i], lower = (keys.of[i] + 0.5) * 0x1p-32;
    if (std::abs(z) > rng::QuantileFit::kMost) {
      ASSERT_TRUE(lower < 3.2e-5 || lower > 1 - 3.2e-5) << lower;
      continue;
    }
    // Φ(z) − lower over the density.
    const double apart = z < 0 ? std::erfc(-z * std::sqrt(0.5)) / 2 - lower : (1 - lower) - std::erfc(z * std::sqrt(0.5)) / 2;
    ASSERT_LT(std::abs(apart) / (std::exp(-z * z / 2) * 0.3989), 7e-6) << z;
    ASSERT_EQ(lower < 0.5, z < 0);
  }
  AlignedVector<std::uint32_t> ends = {30'000'000, 140'000, 0xFFFFFFFF - 140'000};
  ends.resize(16);
  GetParam().estimate_quantiles(1, false, ends.data(), keys.normals.data(), keys.estimates.data(), ends.size());
  EXPECT_GT(keys.normals[0], -2.5f);
  EXPECT_GT(keys.normals[1], -4.0f);
  EXPECT_LT(keys.normals[2], 4.0f);
}

// A filter that leaves everything to the exact samples would decide rightly too.
TEST_P(Quantiles, DecideNearlyEverythingByThemselves) {
  for (const auto& [id, most] : {std::pair{"d-ts", 0.002}, std::pair{"ud-ts", 0.002}, std::pair{"uncorrected-ts", 0.002},
                                 std::pair{"agnostic-ts", 0.002}, std::pair{"discard-ts", 0.02}}) {
    const model::Experiment e = experiment(*policy::find(id), {{0.1, 0.05, 0.03}, model::Geometric{500}}, 1000, 10'000, 77);
    model::Paths paths;
    kernel::Profile profile;
    GetParam().simulate(e, {.first = 0, .count = 64}, model::Exposure::recursion, model::Solver::direct, paths, &profile);
    EXPECT_EQ(profile.decisions, 64.0 * (std::string_view(id) == "discard-ts" ? 8'997 : 9'997));
    EXPECT_GT(profile.resolved, 0) << id;
    EXPECT_LT(profile.resolved, most * profile.decisions) << id;
  }
}

// The failures of a Beta posterior by their fits while they are few, then by the expansion: rates near 1 have both for long.
TEST_P(Quantiles, OfFewFailuresDecideAsTheReferenceDoes) {
  for (const double prior : {0.6, 1.0, 15.5}) {
    model::Experiment e = experiment(*policy::find("discard-ts"), {{0.97, 0.95, 0.6}, model::Geometric{1}}, 8, 1'000, 5);
    e.rule.prior_rate = prior;
    const model::Block block{.first = 0, .count = 16};
    Comparison comparison(e, block, model::Exposure::buffer);
    comparison.expect(simulate(GetParam(), e, block), "discard-ts");
    EXPECT_EQ(comparison.near_ties, 0);
  }
}

// Long enough for the large shapes, with posteriors that overlap: arms of nearly equal rates.
TEST_P(Quantiles, DecideAsTheReferenceDoes) {
  for (const char* id : {"d-ts", "ud-ts", "uncorrected-ts", "agnostic-ts", "discard-ts"}) {
    const model::Experiment e = experiment(*policy::find(id), {{0.5, 0.5, 0.49, 0.48}, model::Geometric{3}}, 20, 1'500, 3);
    const model::Block block{.first = 8, .count = 8};
    Comparison comparison(e, block, model::Exposure::buffer);
    comparison.expect(simulate(GetParam(), e, block), id);
    EXPECT_EQ(comparison.near_ties, 0);
  }
}

}  // namespace
}  // namespace dbandit::testing
