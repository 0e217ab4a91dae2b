#include "dbandit/model/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/best_arm.hpp"
#include "rng/draws.hpp"

namespace dbandit::model {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kHigh = {.5, .4, .3}, kLow = {.1, .05, .03};  // θ_H and θ_L of §7

Problem problem(std::vector<double> theta, double mean = 500) { return {std::move(theta), Geometric{mean}}; }

TEST(Slopes, AreThePapersToSixDigits) {
  struct {
    std::vector<double> theta;
    Window window;
    double lower, ucb, klucb;
  } const table[] = {
      {kHigh, {}, 7.396989, 7.5, 13.586614},
      {kHigh, 1000, 8.239681, 8.673881, 13.586614},
      {kLow, {}, 4.908813, 17.142857, 5.324957},
      {kLow, 1000, 4.965286, 19.826015, 5.324957},
  };
  for (const auto& row : table) {
    const Slopes found = slopes(problem(row.theta), row.window, 0);
    EXPECT_NEAR(found.lower, row.lower, 5e-7);
    EXPECT_NEAR(found.ucb, row.ucb, 5e-7);
    EXPECT_NEAR(found.klucb, row.klucb, 5e-7);
  }
}

TEST(Slopes, TheLowerBoundFallsAsMoreConversionsAreSeen) {
  for (const auto& theta : {kHigh, kLow, {.99, .5}, {.02, .018, .01}}) {
    double previous = kInfinity;
    for (const std::int64_t window : {0, 1, 10, 100, 500, 1000, 3000, 10'000}) {
      const double lower = slopes(problem(theta), window, 0).lower;
      EXPECT_LT(lower, previous) << window;
      previous = lower;
    }
    const double uncensored = slopes(problem(theta), {}, 0).lower;
    EXPECT_LT(uncensored, previous);
    EXPECT_NEAR(slopes(problem(theta), 100'000, 0).lower, uncensored, 1e-12 * uncensored);
  }
}

TEST(Slopes, NoUpperBoundBeatsTheLowerOne) {
  for (const auto& theta : {kHigh, kLow, {.99, .5}, {.02, .018, .01}}) {
    for (const Window& window : std::vector<Window>{{}, 0, 100, 1000}) {
      const Slopes found = slopes(problem(theta), window, 0);
      EXPECT_GE(found.ucb, found.lower);
      EXPECT_GE(found.klucb, found.lower);
    }
  }
}

TEST(Slopes, EpsilonStretchesTheUpperBoundsOnly) {
  const Slopes plain = slopes(problem(kLow), 1000, 0), stretched = slopes(problem(kLow), 1000, 0.5);
  EXPECT_EQ(stretched.lower, plain.lower);
  EXPECT_NEAR(stretched.ucb, 1.5 * plain.ucb, 1e-13);
  EXPECT_NEAR(stretched.klucb, 1.5 * plain.klucb, 1e-13);
}

TEST(Slopes, BestArmsCostNothingWhereverTheyStand) {
  const Slopes once = slopes(problem({.3, .5}), 1000, 0), thrice = slopes(problem({.5, .3, .5, .5}), 1000, 0);
  EXPECT_EQ(thrice.lower, once.lower);
  EXPECT_EQ(thrice.ucb, once.ucb);
  EXPECT_EQ(thrice.klucb, once.klucb);
  for (const auto& theta : std::vector<std::vector<double>>{{.4}, {.4, .4}, {0, 0}, {1, 1}}) {
    const Slopes none = slopes(problem(theta), {}, 0);
    EXPECT_EQ(none.lower, 0);
    EXPECT_EQ(none.ucb, 0);
    EXPECT_EQ(none.klucb, 0);
  }
}

TEST(Slopes, AreFiniteAtCertainAndImpossibleConversions) {
  EXPECT_EQ(slopes(problem({1, .5}), {}, 0).lower, 0);                          // one miss tells .5 from 1
  EXPECT_GT(slopes(problem({1, .5}), 1000, 0).lower, 0);                        // but not when a conversion can be lost
  EXPECT_NEAR(slopes(problem({.5, 0}), {}, 0).lower, .5 / std::log(2), 1e-15);  // d(0, q) = −ln(1−q)
  EXPECT_NEAR(slopes(problem({.5, 0}), {}, 0).klucb, 1, 1e-15);                 // d_Pois(0, q) = q
  EXPECT_NEAR(slopes(problem({1, 0}), {}, 0).klucb, 1, 1e-15);
  EXPECT_EQ(slopes(problem({1, 0}), {}, 0).lower, 0);
  EXPECT_EQ(slopes(problem({.1, .05}, 0), 0, 0).lower, slopes(problem({.1, .05}, 0), {}, 0).lower);  // no delay: nothing is censored
}

TEST(Divergences, AreThePrintedFormulas) {
  for (const double p : {.01, .1, .3, .5, .7, .99}) {
    for (const double q : {.01, .1, .3, .5, .7, .99}) {
      const double bernoulli = p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
      EXPECT_NEAR(bernoulli_divergence(p, q), bernoulli, 1e-15 + 1e-14 * bernoulli) << p << ' ' << q;
      EXPECT_NEAR(poisson_divergence(p, q), p * std::log(p / q) + q - p, 1e-15) << p << ' ' << q;
    }
  }
}

TEST(Divergences, KeepTheirDigitsWhereTheArmsAreClose) {
  for (const double q : {1e-6, .1, .5, .9}) {
    for (const double gap : {1e-4, 1e-6, 1e-8}) {
      const double p = q * (1 - gap), difference = q - p;
      // (q−p)²/2q (1 + x/3 + …), x = (q−p)/q, and the same at 1−p, 1−q: the next terms are below `gap` squared, relatively
      const double poisson = difference * difference / (2 * q) * (1 + difference / (3 * q));
      const double rest = difference * difference / (2 * (1 - q)) * (1 - difference / (3 * (1 - q)));
      const double tolerance = 1e-14 + 2 * gap * gap * q / std::min(q, 1 - q);
      EXPECT_NEAR(poisson_divergence(p, q) / poisson, 1, tolerance) << q << ' ' << gap;
      EXPECT_NEAR(bernoulli_divergence(p, q) / (poisson + rest), 1, 10 * tolerance) << q << ' ' << gap;
    }
  }
}

TEST(Divergences, AtTheEndsOfTheInterval) {
  EXPECT_EQ(bernoulli_divergence(0, 0), 0);
  EXPECT_EQ(bernoulli_divergence(1, 1), 0);
  EXPECT_EQ(bernoulli_divergence(.3, .3), 0);
  EXPECT_EQ(bernoulli_divergence(.5, 0), kInfinity);
  EXPECT_EQ(bernoulli_divergence(.5, 1), kInfinity);
  EXPECT_EQ(bernoulli_divergence(0, 1), kInfinity);
  EXPECT_EQ(bernoulli_divergence(1, 0), kInfinity);
  EXPECT_NEAR(bernoulli_divergence(0, .5), std::log(2), 1e-15);
  EXPECT_NEAR(bernoulli_divergence(1, .5), std::log(2), 1e-15);
  EXPECT_EQ(poisson_divergence(0, .5), .5);
  EXPECT_EQ(poisson_divergence(0, 0), 0);
  EXPECT_EQ(poisson_divergence(.5, 0), kInfinity);
  EXPECT_EQ(poisson_divergence(.3, .3), 0);
}

/// Lemma 8: what the Poisson divergence gives away, and that it never gives more.
TEST(Divergences, ThePoissonOneLiesBelowBernoullisAndAboveItsShareForQ) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double a = rng::open_uniform(rng::delay_bits(1, i, 1)), b = rng::open_uniform(rng::delay_bits(1, i, 2));
    const double q = i % 2 == 0 ? a : a * a * a, p = i % 3 == 0 ? q * (1 - 1e-3 * b) : q * b;  // p ≤ q: the divergences of an index
    const double bernoulli = bernoulli_divergence(p, q), poisson = poisson_divergence(p, q);
    ASSERT_LE(poisson, bernoulli * (1 + 1e-14)) << p << ' ' << q;
    ASSERT_GE(poisson, (1 - q) * bernoulli * (1 - 1e-14)) << p << ' ' << q;
  }
}

// Means 2000, 50, 500 and a window of 1000: ν = (0.0394, 0.05, 0.0259). The second arm is the best, and only arms are counted that could
// show its rate.
TEST(SlopesByArm, AreThoseOfTheVisibleRates) {
  const Problem by_arm{{.1, .05, .03}, parse_delays("geometric:2000,50,500")};
  const double first = .1 * cdf(Geometric{2000}, 1000), best = .05 * cdf(Geometric{50}, 1000), last = .03 * cdf(Geometric{500}, 1000);
  EXPECT_EQ(best_arm(by_arm, 1000), 1U);
  EXPECT_EQ(best_arm(by_arm, {}), 0U);
  const Slopes censored = slopes(by_arm, 1000, 0);
  EXPECT_NEAR(censored.lower, (best - first) / bernoulli_divergence(first, best) + (best - last) / bernoulli_divergence(last, best), 1e-12);
  EXPECT_TRUE(std::isnan(censored.ucb) && std::isnan(censored.klucb)) << "what looks for the largest θ may lose linearly";
  const Slopes uncensored = slopes(by_arm, {}, 0), common = slopes(problem({.1, .05, .03}), {}, 0);
  EXPECT_EQ(uncensored.lower, common.lower);
  EXPECT_EQ(uncensored.ucb, common.ucb);
  EXPECT_EQ(uncensored.klucb, common.klucb);
  // uniform:0..99 within a window of 9 shows a tenth: less than the best arm's rate, so one look at the laws tells it apart.
  EXPECT_EQ(slopes({{.9, .5}, parse_delays("uniform:0..99,constant:0")}, 9, 0).lower, 0);
}

TEST(SlopesByArm, OfEqualLawsAreTheLowerBoundOfTheOne) {
  const Problem thrice{{.1, .05, .03}, parse_delays("geometric:500,500,500")};
  EXPECT_NEAR(slopes(thrice, 1000, 0).lower, slopes(problem({.1, .05, .03}), 1000, 0).lower, 1e-12);
}

}  // namespace
}  // namespace dbandit::model
