#include "study/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "report/hostile.hpp"

namespace dbandit::study {
namespace {

sim::SpecDraft draft() {
  sim::SpecDraft draft;
  for (const auto& [key, value] : {std::pair{"theta", "0.5,0.3"},
                                   {"delay", "geometric:5"},
                                   {"censor", "10"},
                                   {"horizon", "40"},
                                   {"policies", "d-ucb,uniform"},
                                   {"replicas", "64"}}) {
    sim::assign(draft, key, value);
  }
  return draft;
}

Sweep swept(const std::vector<std::string>& vary) {
  Sweep sweep;
  sweep.axes = parse_axes(vary);
  sweep.cells = cells(draft(), sweep.axes);
  for (const Cell& cell : sweep.cells) sweep.results.push_back(sim::run(cell.spec, {}));
  return sweep;
}

std::string complaint(const std::vector<std::string>& vary) {
  try {
    cells(draft(), parse_axes(vary));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

using Values = std::vector<double>;

TEST(Axis, IsAListOrARange) {
  EXPECT_EQ(parse_axis("censor=10,100,7").values, (Values{10, 100, 7}));
  EXPECT_EQ(parse_axis("censor=log:10:10000:4").values, (Values{10, 100, 1000, 10000}));
  EXPECT_EQ(parse_axis("gap=lin:0.1:0.3:3").values, (Values{0.1, 0.2, 0.3}));
}

TEST(Axis, OfIntegersRoundsAndHasNoValueTwice) {
  EXPECT_EQ(parse_axis("censor=log:1:4:7").values, (Values{1, 2, 3, 4}));
  EXPECT_EQ(parse_axis("mean-delay=5,5,6").values, (Values{5, 6}));
}

TEST(Axis, ThatMakesNoSenseIsRefusedInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "--vary: is missing"},
      {{"censor"}, "'censor' is not KEY=VALUES"},
      {{"censored=1"}, "did you mean 'censor'?"},
      {{"censor=1,x"}, "has 'x' where a number belongs"},
      {{"censor="}, "where a number belongs"},
      {{"censor=nan"}, "where a number belongs"},
      {{"censor=log:1:10"}, "is not a range"},
      {{"censor=log:0:10:3"}, "0 < LOW < HIGH"},
      {{"censor=lin:5:5:3"}, "LOW < HIGH"},
      {{"censor=lin:1:5:1"}, "integer from 2 to 1000"},
      {{"censor=lin:1:5:2.5"}, "integer from 2 to 1000"},
      {{"censor=1e300"}, "beyond any integer"},
      {{"censor=1", "censor=2"}, "'censor' is given twice"},
      {{"censor=1", "gap=0.1", "arms=2"}, "given 3 times"},
      {{"mean-delay=lin:1:500:500", "epsilon=lin:0:1:500"}, "cells; allowed are at most 10000"},
      {{"censor=0"}, "--vary censor=0: "},
      {{"gap=0.1,0.7"}, "--vary gap=0.7: "},
  };
  for (const auto& [vary, says] : cases) {
    const std::string line = complaint(vary);
    EXPECT_NE(line.find(says), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(Cells, LetTheLastAxisRunFastest) {
  const std::vector<Axis> axes = parse_axes(std::vector<std::string>{"censor=5,10", "mean-delay=1,2,3"});
  const std::vector<Cell> grid = cells(draft(), axes);
  ASSERT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid[1].at, (Values{5, 2}));
  EXPECT_EQ(grid[1].spec->censor, 5);
  EXPECT_EQ(grid[1].spec->delay, model::DelayLaw(model::Geometric{2}));
  EXPECT_EQ(grid[3].at, (Values{10, 1}));
}

TEST(Cells, OfAGapHaveOneBestArmAndEqualOthers) {
  const auto theta = [](const std::string& one, const std::string& two) {
    return cells(draft(), parse_axes(std::vector<std::string>{one, two}))[0].spec->theta;
  };
  EXPECT_EQ(theta("arms=4", "gap=0.25"), (Values{0.5, 0.25, 0.25, 0.25}));
  EXPECT_EQ(theta("best=0.2", "relative-gap=0.5"), (Values{0.2, 0.1}));
  EXPECT_EQ(theta("relative-gap=0.5", "best=0.2"), (Values{0.2, 0.1}));
  EXPECT_EQ(theta("scale=0.5", "censor=3"), (Values{0.25, 0.15}));
  EXPECT_EQ(theta("best=0.25", "censor=3"), (Values{0.25, 0.15})) << "the others keep their distance, as a share";
}

TEST(Sweeps, AreTidyInCsvWithARowPerCellPolicyAndMeasure) {
  const Sweep sweep = swept({"censor=5,20"});
  const std::string csv = sweep_csv(sweep), paired = paired_csv(sweep);
  EXPECT_TRUE(csv.starts_with("censor,policy,measure,mean,stderr,ci_low,ci_high\n5,d-ucb,regret,")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * 2 * 3);
  EXPECT_TRUE(paired.starts_with("censor,a,b,mean,stderr,ci_low,ci_high\n5,d-ucb,uniform,-")) << paired;
  EXPECT_EQ(std::ranges::count(paired, '\n'), 1 + 2);
}

TEST(Sweeps, SayWhoWinsAndWhetherThatIsBeyondChance) {
  const Sweep sweep = swept({"gap=0.3"});
  const Winner clear = winner(sweep.results[0]);
  EXPECT_EQ(clear.policy, 0U);
  EXPECT_EQ(clear.second, 1U);
  EXPECT_TRUE(clear.certain);
  const auto& policies = sweep.results[0].stats.policies;
  EXPECT_NEAR(clear.margin, policies[1].regret.back().mean / policies[0].regret.back().mean - 1, 1e-9);
  EXPECT_FALSE(winner(swept({"gap=0.0001"}).results[0]).certain);
}

TEST(Sweeps, SayByHowMuchTheNextOneIsBehindWhereverTheWinnerStands) {
  const auto moments = [](double mean) { return stats::Moments{.count = 100, .mean = mean, .variance = 100.0 / 99}; };
  sim::Result result{.spec = sim::Spec(draft())};
  const std::vector<double> regrets{90, 50, 60};
  for (const double regret : regrets) result.stats.policies.emplace_back().regret = {moments(regret)};
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) result.stats.paired.push_back(moments(regrets[a] - regrets[b]));
  for (const bool swapped : {false, true}) {
    const Winner best = winner(result);
    EXPECT_EQ(best.policy, swapped ? 2U : 1U);
    EXPECT_EQ(best.second, swapped ? 1U : 2U);
    EXPECT_DOUBLE_EQ(best.margin, 0.2);
    EXPECT_TRUE(best.certain);
    std::swap(result.stats.policies[1], result.stats.policies[2]);
    std::swap(result.stats.paired[0], result.stats.paired[1]);
    result.stats.paired[2].mean *= -1;
  }
}

TEST(Sweeps, AreRepeatedByTheSpecTheyStore) {
  const std::string spec = sweep_spec(swept({"censor=5,20"}));
  EXPECT_TRUE(spec.starts_with("# dbandit sweep SPEC.toml --vary censor=5,20 repeats")) << spec;
}

TEST(Sweeps, DrawOneAxisAsLinesAndTwoAsAMap) {
  const std::string lines = sweep_drawing(swept({"censor=5,20"})).script, map = sweep_drawing(swept({"censor=5,20", "gap=0.1,0.2"})).script;
  EXPECT_NE(lines.find("window, rounds"), std::string::npos);
  EXPECT_NE(map.find("window, rounds"), std::string::npos);
  EXPECT_NE(map.find("gap between"), std::string::npos);
}

/// The rows of a block of data in a script.
std::vector<Values> block(const std::string& script, const std::string& name) {
  std::istringstream lines(script.substr(script.find("$" + name + " << EOD")));
  std::vector<Values> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "EOD") {
    std::istringstream cells(line);
    Values& row = rows.emplace_back();
    for (double cell; cells >> cell;) row.push_back(cell);
  }
  return rows;
}

TEST(Sweeps, DrawRegretAndByHowMuchItIsBeyondTheFirstPolicys) {
  const Sweep sweep = swept({"censor=5,20"});
  const std::string script = sweep_drawing(sweep).script;
  const auto regret = block(script, "s0p1"), beyond = block(script, "s2p1");
  ASSERT_EQ(regret.size(), 2U);
  ASSERT_EQ(beyond.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    const auto& policies = sweep.results[c].stats.policies;
    const double first = policies[0].regret.back().mean, second = policies[1].regret.back().mean;
    EXPECT_EQ(regret[c][0], sweep.cells[c].at[0]);
    EXPECT_NEAR(regret[c][1], second, 1e-6 * second);
    EXPECT_NEAR(regret[c][3] - regret[c][1], stats::half_width_95(policies[1].regret.back()), 1e-6 * second);
    EXPECT_NEAR(beyond[c][1], second - first, 1e-6 * second);
    EXPECT_LT(beyond[c][2], beyond[c][1]);
    EXPECT_GT(beyond[c][3], beyond[c][1]);
  }
}

TEST(Sweeps, DrawNoNameOfAPolicyAsACommand) {
  Sweep lines = swept({"censor=5,20"}), map = swept({"censor=5,20", "gap=0.1,0.2"}), alone = map;
  for (const std::string& text : test::hostile_texts()) {
    for (Sweep* sweep : {&lines, &map, &alone}) {
      for (std::size_t c = 0; c < sweep->cells.size(); ++c) {
        sim::Settings settings = *sweep->cells[c].spec;
        settings.policies = {"guest:a", "guest:b"};
        settings.policies[0].id = text;  // no parser gives it such a name
        settings.policies[1].id = text + "'";
        if (sweep == &alone) settings.policies.pop_back();
        sweep->cells[c].spec = sweep->results[c].spec = settings;
      }
      EXPECT_EQ(test::gnuplot_commands(sweep_drawing(*sweep).script).find("PLANTED"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace dbandit::study
