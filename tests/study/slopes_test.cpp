#include "study/slopes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/process.hpp"
#include "dbandit/sim/run.hpp"

namespace dbandit::study {
namespace {

/// The runs of a quick study, cut down until each is a matter of milliseconds.
std::vector<SlopeRun> small_runs() {
  std::vector<SlopeRun> runs = slope_runs(Effort::quick);
  for (SlopeRun& run : runs) {
    sim::Settings spec = *run.spec;
    spec.horizon = 100;
    spec.at = run.part == SlopePart::remainder ? std::vector<std::int64_t>{100} : std::vector<std::int64_t>{10, 30, 60, 100};
    spec.replicas = 32;
    run.spec = spec;
  }
  return runs;
}

std::vector<sim::Result> played(std::span<const SlopeRun> runs) {
  std::vector<sim::Result> results;
  for (const SlopeRun& run : runs) results.push_back(sim::run(run.spec, {.threads = 1}));
  return results;
}

TEST(Slopes, RunsAreByDecadesAndWithAndWithoutEpsilon) {
  std::set<double> epsilons;
  std::int64_t longest = 0;
  for (const SlopeRun& run : slope_runs(Effort::full)) {
    longest = std::max(longest, run.spec->horizon);
    if (run.part != SlopePart::growth) continue;
    epsilons.insert(run.spec->epsilon);
    EXPECT_GE(run.spec->horizon, 100'000'000);
    for (std::size_t i = 1; i < run.spec->at.size(); ++i) EXPECT_EQ(run.spec->at[i], 10 * run.spec->at[i - 1]);
    EXPECT_EQ(sim::compared_records(run.spec->at).size(), run.spec->at.size()) << "growth needs every decade";
  }
  EXPECT_EQ(longest, 1'000'000'000);
  EXPECT_EQ(epsilons.size(), 2U);
  for (const SlopeRun& run : slope_runs(Effort::quick)) EXPECT_LE(run.spec->horizon, 1'000'000);
}

// §6's constants for θ_L, μ = 500, m = 1000, to six digits.
TEST(Slopes, LimitsAreThoseOfTheTheory) {
  sim::Settings spec;
  spec.theta = {0.1, 0.05, 0.03};
  spec.delay = model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 10;
  spec.replicas = 2;
  spec.policies = {"d-ucb", "d-klucb", "discard-bernkl", "ud-ucb", "oracle-klucb", "d-ts"};
  const auto limits = [&](double epsilon) {
    spec.epsilon = epsilon;
    const sim::Result result = sim::run(spec, {.threads = 1});
    std::vector<double> all;
    for (const sim::Policy& policy : result.spec->policies) all.push_back(limiting_slope(result, policy));
    return all;
  };
  const std::vector<double> plain = limits(0), more = limits(0.5);
  const std::array known{19.826015, 5.324957, 4.965286, 17.142857, 0.8646648 * 5.324957};
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_NEAR(plain[i], known[i], 2e-6) << i;
    EXPECT_NEAR(more[i], 1.5 * known[i], 3e-6) << i;
  }
  EXPECT_TRUE(std::isnan(plain.back())) << "no theorem says";
}

TEST(Slopes, StepsThatShrinkByAFactorTendToTheirLimit) {
  const auto limit = tends_to(exactly(3), exactly(2), exactly(1.5));
  ASSERT_TRUE(limit);
  EXPECT_DOUBLE_EQ(limit->value, 1);
  EXPECT_FALSE(tends_to(exactly(1.5), exactly(2), exactly(3))) << "steps grow";
  EXPECT_FALSE(tends_to(exactly(1), exactly(2), exactly(1.5))) << "steps turn";
  // Each end moved by itself: the derivative is what the interval grows by.
  const double h = 1e-6;
  const std::array<Interval, 3> at{exactly(3), exactly(2), exactly(1.5)};
  double half = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<Interval, 3> moved = at;
    moved[i] = exactly(at[i].value + h);
    half += std::abs(tends_to(moved[0], moved[1], moved[2])->value - 1) / h;
  }
  const auto wide = tends_to(centred(3, 0.01), centred(2, 0.01), centred(1.5, 0.01));
  EXPECT_NEAR(wide->high - wide->value, 0.01 * half, 1e-7);
}

TEST(Slopes, ACrossingIsWhereTheDifferenceAndItsIntervalChangeSign) {
  const std::vector<std::int64_t> rounds{10, 100, 1000, 10'000};
  const Interval met = crossing(rounds, std::vector<Interval>{{-3, -5, -1}, {-1, -2, 1}, {1, -1, 3}, {3, 2, 5}});
  EXPECT_NEAR(met.value, std::sqrt(100.0 * 1000), 1e-9);  // halfway between −1 and 1, in ln t
  EXPECT_NEAR(met.low, std::sqrt(10.0 * 100), 1e-9);      // where the upper end becomes positive
  EXPECT_NEAR(met.high, 1000 * std::pow(10, 1.0 / 3), 1e-6);
  EXPECT_EQ(crossing(rounds, std::vector<Interval>(4, exactly(1))).value, 0) << "before the first";
  EXPECT_EQ(crossing(rounds, std::vector<Interval>(4, exactly(-1))).value, std::numeric_limits<double>::infinity());
}

TEST(Slopes, FilesHoldEveryLineAndTheJsonIsTheSameNumbers) {
  const std::vector<SlopeRun> runs = small_runs();
  const std::vector<sim::Result> results = played(runs);
  const auto lines = growth_lines(runs, results);
  ASSERT_EQ(lines.size(), 14U);
  EXPECT_EQ(lines[0].growth.size(), 3U);
  const double from = at(results[0], "d-ucb", "regret", 10).value, to = at(results[0], "d-ucb", "regret", 30).value;
  EXPECT_NEAR(lines[0].growth[0].value, (to - from) / std::log(3.0), 1e-12);
  EXPECT_EQ(crossings(runs, results).size(), 2U);
  EXPECT_EQ(remainders(runs, results).size(), 20U);
  const auto json = nlohmann::json::parse(slopes_json(runs, results));
  EXPECT_EQ(json["growth"][0]["stretches"][0]["growth_per_ln_t"]["value"].get<double>(), lines[0].growth[0].value);
  EXPECT_EQ(json["remainders"].size(), 20U);
  const auto files = slopes_files(runs, results, "dbandit slopes");
  EXPECT_EQ(std::ranges::count(files[1].content, '\n'), 1 + 14 * 3);
  EXPECT_NE(files[0].content.find("Written by `dbandit slopes`"), std::string::npos);
  const std::string script = slopes_drawing(lines).script;
  EXPECT_NE(script.find("discard-bernkl"), std::string::npos);
  const test::Scratch folder;
  test::write_file(folder / "slopes.csv", files[1].content);
  EXPECT_EQ(slopes_drawing(read_growth_lines(folder.path())).script, script) << "drawn again from the table";
}

}  // namespace
}  // namespace dbandit::study
