#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/sums.hpp"
#include "study/sweep.hpp"

/// A sweep read back from its folder, and how its axis is shown.
namespace dbandit::study {
namespace {

Sweep small_sweep(const std::vector<std::string>& vary) {
  sim::SpecDraft draft;
  for (const auto& [key, value] : {std::pair{"theta", "0.5,0.3"},
                                   {"delay", "geometric:5"},
                                   {"censor", "10"},
                                   {"horizon", "40"},
                                   {"policies", "d-ucb,uniform,d-klucb"},
                                   {"replicas", "64"}}) {
    sim::assign(draft, key, value);
  }
  Sweep sweep;
  sweep.axes = parse_axes(vary);
  sweep.cells = cells(draft, sweep.axes);
  for (const Cell& cell : sweep.cells) sweep.results.push_back(sim::run(cell.spec, {}));
  return sweep;
}

void write(const test::Scratch& folder, const Sweep& sweep) {
  test::write_file(folder / "spec.toml", sweep_spec(sweep));
  test::write_file(folder / "sweep.csv", sweep_csv(sweep));
  test::write_file(folder / "paired.csv", paired_csv(sweep));
}

TEST(StoredSweep, HasTheNumbersAndTheWinnersOfTheSweep) {
  for (const std::vector<std::string>& vary : {std::vector<std::string>{"censor=5,20,10"}, {"censor=5,20", "gap=0.1,0.2,0.001"}}) {
    const Sweep sweep = small_sweep(vary);
    const test::Scratch folder;
    write(folder, sweep);
    const Sweep stored = read_sweep(folder.path());
    ASSERT_EQ(stored.cells.size(), sweep.cells.size());
    for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
      EXPECT_EQ(stored.cells[c].at, sweep.cells[c].at);
      const Winner there = winner(stored.results[c]), here = winner(sweep.results[c]);
      EXPECT_EQ(there.policy, here.policy);
      EXPECT_EQ(there.certain, here.certain);
      for (std::size_t p = 0; p < 3; ++p) {
        const stats::Moments &a = stored.results[c].stats.policies[p].regret.back(), &b = sweep.results[c].stats.policies[p].regret.back();
        EXPECT_EQ(a.mean, b.mean);
        EXPECT_NEAR(a.standard_error(), b.standard_error(), 1e-12);
      }
    }
    EXPECT_EQ(sweep_drawing(stored).height, sweep_drawing(sweep).height);
  }
}

TEST(StoredSweep, IsASliceForEachValueOfTheSecondAxisOnThePage) {
  const Sweep sweep = small_sweep({"censor=5,20,10", "gap=0.1,0.2"});
  const test::Scratch folder;
  write(folder, sweep);
  test::write_file(folder / "manifest.json", "{}");
  const report::PageSection section = read_sweep_section(folder.path());
  const std::vector<double> windows{5, 10, 20}, gaps{0.1, 0.2};  // in order, as they are drawn
  ASSERT_EQ(section.slices.size(), gaps.size());
  for (std::size_t g = 0; g < gaps.size(); ++g) {
    ASSERT_EQ(section.slices[g].measures.size(), sim::kMeasures.size());
    for (std::size_t m = 0; m < sim::kMeasures.size(); ++m) {
      const report::StoredMeasure& measure = section.slices[g].measures[m];
      EXPECT_EQ(measure.name, sim::kMeasures[m].name);
      ASSERT_EQ(measure.curves.size(), 3U);
      for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_EQ(measure.curves[p].policy, sweep.cells[0].spec.ids()[p]);
        ASSERT_EQ(measure.curves[p].mean.size(), windows.size());
        for (std::size_t w = 0; w < windows.size(); ++w) {
          const auto cell = std::ranges::find(sweep.cells, std::vector{windows[w], gaps[g]}, &Cell::at);
          const sim::Result& result = sweep.results[static_cast<std::size_t>(cell - sweep.cells.begin())];
          const stats::Moments& moments = (result.stats.policies[p].*sim::kMeasures[m].curve).back();
          const auto& [x, mean, low, high] = measure.curves[p].mean[w];
          EXPECT_EQ(x, windows[w]);
          EXPECT_EQ(mean, moments.mean);
          EXPECT_NEAR(low, moments.mean - result.half_width(moments), 1e-12);
          EXPECT_NEAR(high, moments.mean + result.half_width(moments), 1e-12);
        }
      }
    }
  }
  ASSERT_EQ(section.cells.size(), sweep.cells.size());
  for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
    ASSERT_EQ(section.cells[c].pairs.size(), 3U);
    const report::PageSection::Pair& last = section.cells[c].pairs[2];
    EXPECT_EQ(last.a + " " + last.b, "uniform d-klucb");
    EXPECT_EQ(last.mean, sweep.results[c].stats.paired[2].mean);
  }
}

TEST(StoredSweep, WithACellMissingIsRefused) {
  const Sweep sweep = small_sweep({"censor=5,20"});
  const test::Scratch folder;
  write(folder, sweep);
  std::string csv = sweep_csv(sweep);
  csv.resize(csv.rfind('\n', csv.size() - 2) + 1);
  test::write_file(folder / "sweep.csv", csv);
  EXPECT_THROW(read_sweep(folder.path()), UserError);
}

TEST(SweepAxis, IsLogarithmicOnALogarithmicGridAndOverAWideRange) {
  for (const auto* text :
       {"censor=log:10:10000:7", "arms=2,4,8", "epsilon=0.1,0.2,0.4,0.8", "censor=log:100:1000:4", "horizon=100,100000"}) {
    EXPECT_TRUE(is_logarithmic(parse_axis(text))) << text;
  }
  for (const auto* text : {"censor=lin:100:1000:4", "arms=2,3,4", "epsilon=0,0.1,1,10", "gap=0.1,0.2", "censor=500"}) {
    EXPECT_FALSE(is_logarithmic(parse_axis(text))) << text;
  }
}

TEST(SweepAxis, IsShownAsItsUserWantsAndNeverLogarithmicFromZero) {
  const Sweep wide = small_sweep({"censor=5,500"}), from_zero = small_sweep({"epsilon=0,1"});
  const auto is_log = [](const report::Drawing& drawing) { return drawing.script.find("set logscale x") != std::string::npos; };
  EXPECT_TRUE(is_log(sweep_drawing(wide)));
  EXPECT_FALSE(is_log(sweep_drawing(wide, false)));
  EXPECT_FALSE(is_log(sweep_drawing(from_zero, true)));
}

TEST(SweepAxis, OfOneValueHasAWidth) {
  const std::string script = sweep_drawing(small_sweep({"censor=5"})).script;
  EXPECT_NE(script.find("set xrange [2.5:7.5]"), std::string::npos) << script;
}

}  // namespace
}  // namespace dbandit::study
