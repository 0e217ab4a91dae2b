#include "report/advice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace dbandit::report {
namespace {

/// Two policies, of which the second has a regret of 100 with a 95 % interval of ± half.
sim::Result result(double replicas, double half) {
  sim::Settings settings;
  settings.theta = {0.5, 0.3};
  settings.delay = model::Geometric{100};
  settings.horizon = 100'000;
  settings.policies = {"ud-ucb", "ud-klucb"};
  sim::Result result{.spec = settings};
  result.stats.policies.resize(2);
  const double unit = stats::half_width_95({replicas, 100, 1});
  result.stats.policies[0].regret = {{replicas, 100, 0}};
  result.stats.policies[1].regret = {{replicas, 100, half * half / (unit * unit)}};
  return result;
}

/// The number that follows a word of the line.
double number_after(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(word);
  EXPECT_NE(at, std::string::npos) << line;
  return at == std::string::npos ? 0 : std::strtod(line.c_str() + at + word.size(), nullptr);
}

TEST(Advice, SaysNothingWhenThereIsNothingToSay) { EXPECT_TRUE(advice(result(1000, 1)).empty()); }

TEST(Advice, ThirtyReplicasAreNoLongerFew) {
  EXPECT_TRUE(advice(result(30, 1)).empty());
  const auto lines = advice(result(29, 1));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("29 replicas are few for a 95 % interval")) << lines[0];
}

TEST(Advice, AnIntervalBeyondTenPercentIsWideAndFourTimesTheReplicasHalveIt) {
  EXPECT_TRUE(advice(result(1000, 9.99)).empty());
  const auto lines = advice(result(1000, 10.01));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("the interval of ud-klucb is ± 10 % of its regret"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("makes it about ± 5 %"), std::string::npos) << lines[0];
  // (10.01 / 5)² · 1000 = 4008: rounded up to two digits.
  EXPECT_EQ(number_after(lines[0], "--replicas "), 4100);
}

TEST(Advice, IsAboutTheWidestIntervalAndAboutRegretsAboveZero) {
  sim::Result both = result(1000, 30);
  both.stats.policies[0].regret[0].variance = both.stats.policies[1].regret[0].variance / 4;
  for (const std::string widest : {"ud-klucb", "ud-ucb"}) {
    const auto lines = advice(both);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("of " + widest + " is ± 30 %"), std::string::npos) << lines[0];
    std::swap(both.stats.policies[0], both.stats.policies[1]);
  }
  for (const double mean : {0.0, -1.0}) {
    for (sim::PolicyStats& policy : both.stats.policies) policy.regret[0].mean = mean;
    EXPECT_TRUE(advice(both).empty()) << "an interval is no share of a regret of " << mean;
  }
}

/// With a window of m rounds geometric delays of mean μ show 1 − (μ / (1 + μ))^(m + 1) of the conversions: the cdf at m.
double shown(double mean, double window) { return 1 - std::pow(mean / (1 + mean), window + 1); }

TEST(Advice, AWindowThatShowsATenthHidesTooMuch) {
  const double mean = 1000;
  // The first window that shows 10 %.
  const auto enough = static_cast<std::int64_t>(std::ceil(std::log(0.9) / std::log(mean / (1 + mean)) - 1));
  ASSERT_GE(shown(mean, static_cast<double>(enough)), 0.1);
  ASSERT_LT(shown(mean, static_cast<double>(enough - 1)), 0.1);
  sim::Result run = result(1000, 1);
  sim::Settings settings = *run.spec;
  settings.delay = model::Geometric{mean};
  settings.policies = {"d-ucb", "d-klucb"};
  settings.censor = enough;
  run.spec = settings;
  EXPECT_TRUE(advice(run).empty());
  settings.censor = enough - 1;
  run.spec = settings;
  const auto lines = advice(run);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("a window of " + std::to_string(enough - 1) + " shows 10 % of the conversions")) << lines[0];
  // What is proposed shows 90 %, and a hundred rounds less, its second digit, would not.
  const double wider = number_after(lines[0], "--censor ");
  EXPECT_GE(shown(mean, wider), 0.9);
  EXPECT_LT(shown(mean, wider - 100), 0.9);
  EXPECT_EQ(std::fmod(wider, 100), 0);
  settings.horizon = static_cast<std::int64_t>(wider) / 2;
  settings.at.clear();
  run.spec = settings;
  EXPECT_NE(advice(run).at(0).find("no --censor within the horizon shows 90 %"), std::string::npos);
  settings.policies = {"ud-ucb", "ud-klucb"};
  run.spec = settings;
  EXPECT_TRUE(advice(run).empty()) << "nobody here has a window";
}

}  // namespace
}  // namespace dbandit::report
