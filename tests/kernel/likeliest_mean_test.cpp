#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/elementary.hpp"
#include "kernel/internals.hpp"
#include "kernel/targets.hpp"
#include "model/truncated_mean.hpp"
#include "reference/worlds.hpp"

/// The likeliest mean delay in lanes is that of the model to the last bit: what the reference and the engine learn is one number.
namespace dbandit::testing {
namespace {

using D = kernel::Doubles<kernel::Baseline>;

TEST(Elementary, OfLanesHasTheBitsOfItsScalars) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share;
  std::vector<double> values = {0.0, 1e-300, 1e-17, 0.41421356237309503, 0.4142135623730951, 1.0, 1e15};
  for (int i = 0; i < 20'000; ++i) values.push_back(std::pow(10, 30 * share(random) - 18));
  for (const double x : values) {
    ASSERT_EQ(kernel::log1p_of<kernel::Baseline>(D(x)).get(0), log1p_of(x)) << x;
    for (const double signed_x : {x, -x}) {
      const Exponential expected = exponential(signed_x);
      const auto found = kernel::exponential<kernel::Baseline>(D(signed_x));
      ASSERT_EQ(found.value.get(0), expected.value) << signed_x;
      ASSERT_EQ(found.less_one.get(0), expected.less_one) << signed_x;
    }
  }
}

struct Observed {
  double count, total, round;
};

/// None, few and many delays, none of them long, all of them long, and means about those at which the likeliest is the round itself.
std::vector<Observed> observations() {
  std::vector<Observed> all;
  for (const double round : {1.0, 2.0, 3.0, 10.0}) {
    for (double count = 1; count <= 4; ++count) {
      for (double total = 0; total <= count * (round - 1); ++total) all.push_back({count, total, round});
    }
  }
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> share;
  for (int i = 0; i < 30'000; ++i) {
    const double round = std::floor(std::pow(10, 8 * share(random))) + 1, count = std::floor(std::pow(10, 5 * share(random)));
    const double longest = model::mean_of_observed_delays(round, round);
    for (const double mean : {share(random) * longest, share(random) * share(random) * longest,
                              longest * (1 + 1e-6 * (share(random) - 0.5)), share(random) * round, 3 / count}) {
      all.push_back({count, std::floor(mean * count), round});
    }
  }
  return all;
}

// Two neighbours share a vector, so that lanes which are done wait for others.
TEST(LikeliestMean, InLanesIsTheModelsToTheLastBit) {
  const auto all = observations();
  std::size_t inside = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Observed &x = all[i], &y = all[i + 1];
    const auto both = [](double of_x, double of_y) {
      alignas(16) const double values[] = {of_x, of_y};
      return D::load_aligned(values);
    };
    const D means = kernel::likeliest_mean<kernel::Baseline>(both(x.count, y.count), both(x.total, y.total), both(x.round, y.round));
    const double first = model::truncated_mean(x.count, x.total, x.round);
    ASSERT_EQ(means.get(0), first) << x.total << " over " << x.count << " by " << x.round;
    ASSERT_EQ(means.get(1), model::truncated_mean(y.count, y.total, y.round)) << y.total << " over " << y.count << " by " << y.round;
    inside += first > 0 && first < x.round;
  }
  EXPECT_GT(inside, all.size() / 3) << "hardly any root was looked for";
}

// Several conversions of a replica in one round, more of them than there are vectors.
TEST(LikeliestMean, OfARoundIsThatOfAllItsDelays) {
  const model::Experiment e =
      experiment(*policy::find("ud-agnostic-mle-klucb"), {{1.0, 0.9}, model::parse_delays("uniform:0..6")}, {}, 400, 4);
  kernel::Workspace workspace;
  kernel::State& s = workspace.prepare(e, {.first = 0, .count = 24}, model::Exposure::recursion, model::Solver::direct);
  const kernel::LearnedDelays& learned = s.policy.index.learned;
  int several = 0;
  for (std::int64_t round = 1; round <= e.horizon; ++round) {
    std::vector<double> before(learned.observed, learned.observed + 24), means(learned.mean_delay, learned.mean_delay + 24);
    kernel::rounds<kernel::Baseline, false>(s, round, round);
    for (std::size_t lane = 0; lane < 24; ++lane) {
      const double seen = learned.observed[lane];
      several += seen > before[lane] + 1;
      const double expected =
          seen == before[lane] ? means[lane] : model::truncated_mean(seen, learned.delay_total[lane], static_cast<double>(round));
      ASSERT_EQ(learned.mean_delay[lane], expected) << "round " << round << " lane " << lane;
    }
  }
  EXPECT_GT(several, 1'000);
}

}  // namespace
}  // namespace dbandit::testing
