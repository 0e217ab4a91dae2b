#include "report/gnuplot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "report/figure.hpp"
#include "report/hostile.hpp"

namespace dbandit::report {
namespace {

using test::gnuplot_commands;
using test::hostile_texts;
using test::kPlanted;
using test::Scratch;

bool has_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

StoredCurve curve(const std::string& policy) {
  return {.policy = policy, .mean = {{1, 1, 1, 2}, {10, 2, 1, 3}, {100, 4, 3, 5}}, .band = {{100, 1, 9}}};
}

RegretFigure figure(const std::string& text) {
  return {.title = text,
          .quantity = text,
          .caption = text,
          .panels = {{.title = text, .curves = {curve(text), curve("d-ucb")}, .labels = {text, "d-ucb"}, .bound = 1},
                     {.title = text, .curves = {curve(text)}, .labels = {text}}}};
}

TEST(PlotText, IsInSingleQuotesAndHasNoneInside) {
  EXPECT_EQ(plot_text("d-ucb"), "'d-ucb'");
  EXPECT_EQ(plot_text("it's"), "'it’s'");
  EXPECT_EQ(plot_text("''"), "'’’'");
  EXPECT_EQ(plot_text("a`b\"c\\"), "'a`b\"c\\'");
  EXPECT_EQ(plot_text("θ ≤ 1"), "'θ ≤ 1'");
}

TEST(PlotText, HasNoControlCharacters) {
  for (int c = 1; c < 0x20; ++c) EXPECT_EQ(plot_text(std::string(1, static_cast<char>(c))), "'?'") << c;
  EXPECT_EQ(plot_text(std::string(1, '\0')), "'?'");
  EXPECT_EQ(plot_text("\x7f"), "'?'");
}

TEST(PlotData, HasAGapForWhatIsNotFinite) {
  EXPECT_EQ(plot_data("d", {{1, std::numeric_limits<double>::infinity()}, {2, 0.5}}), "$d << EOD\n1 NaN\n2 0.5\nEOD\n");
}

/// The rows of a data block of a script.
std::vector<std::array<double, 2>> rows_of(const std::string& script, const std::string& block) {
  const std::string name = "$" + block + " << EOD\n";
  const std::size_t from = script.find(name);
  if (from == std::string::npos) return {};
  std::istringstream text(script.substr(from + name.size(), script.find("EOD", from + name.size()) - from - name.size()));
  std::vector<std::array<double, 2>> rows;
  for (std::array<double, 2> row{}; text >> row[0] >> row[1];) rows.push_back(row);
  return rows;
}

TEST(RegretDrawing, TheBoundBeginsAtAFifthOfTheHorizonOnTheLowestCurve) {
  StoredCurve high{.policy = "high", .mean = {}, .band = {}}, low = high;
  for (const double t : {1.0, 10.0, 20.0, 50.0, 100.0}) {
    low.mean.push_back({t, t, t, t});
    high.mean.push_back({t, 3 * t, 3 * t, 3 * t});
  }
  const auto rows = rows_of(
      regret_drawing({.title = {}, .quantity = {}, .caption = {}, .panels = {{{}, {high, low}, {"high", "low"}, 2}}}).script, "p0sl");
  ASSERT_FALSE(rows.empty());
  EXPECT_NEAR(rows.front()[0], 20, 1e-4);
  EXPECT_NEAR(rows.front()[1], 20, 1e-4);
  EXPECT_NEAR(rows.back()[0], 100, 1e-4);
  EXPECT_NEAR(rows.back()[1], 20 + 2 * std::log(5), 1e-4);
}

// A line that crossed a curve would look like a bound that is violated: one curve lower at the start, the other at the end and growing
// slower than the bound.
TEST(RegretDrawing, TheBoundIsNeverAboveACurve) {
  StoredCurve early{.policy = "early", .mean = {}, .band = {}}, late = early;
  for (const double t : {1.0, 10.0, 20.0, 50.0, 100.0}) {
    early.mean.push_back({t, t / 4, t / 4, t / 4});
    late.mean.push_back({t, std::min(t, 21.0), std::min(t, 21.0), std::min(t, 21.0)});
  }
  const auto rows = rows_of(
      regret_drawing({.title = {}, .quantity = {}, .caption = {}, .panels = {{{}, {early, late}, {"early", "late"}, 7}}}).script, "p0sl");
  ASSERT_FALSE(rows.empty());
  double closest = 1e9;
  for (const StoredCurve& curve : {early, late}) {
    for (const auto& point : curve.mean) {
      if (point.t < 20) continue;
      const double line = rows.front()[1] + 7 * std::log(point.t / rows.front()[0]);
      EXPECT_LE(line, point.mean + 1e-4) << curve.policy << " at " << point.t;
      closest = std::min(closest, point.mean - line);
    }
  }
  EXPECT_NEAR(closest, 0, 1e-4) << "it touches one";
}

TEST(ProblemText, HasNoMoreDigitsOfAMeanThanOneReads) {
  const auto text = [](const char* law) {
    sim::Settings settings;
    settings.theta = {0.1, 0.05};
    settings.delay = model::parse_delays(law);
    settings.horizon = 100;
    settings.policies = {"ud-ucb"};
    return problem_text(sim::Spec(settings));
  };
  EXPECT_EQ(text("weibull:0.7,400"), "conversion rates 0.1, 0.05; weibull delays, mean 505.8 rounds");
  EXPECT_EQ(text("geometric:500"), "conversion rates 0.1, 0.05; geometric delays, mean 500 rounds");
  EXPECT_EQ(text("geometric:200000"), "conversion rates 0.1, 0.05; geometric delays, mean 200000 rounds");
}

TEST(RegretDrawing, ShadesAreLeftOutWhereTheyWouldLieOverEachOther) {
  const auto many = [](std::size_t count) {
    RegretPanel panel;
    for (std::size_t i = 0; i < count; ++i) {
      panel.curves.push_back(curve("p" + std::to_string(i)));
      panel.labels.push_back(panel.curves.back().policy);
    }
    return regret_drawing({.title = {}, .quantity = {}, .caption = {}, .panels = {panel}}).script;
  };
  EXPECT_NE(many(6).find("solid 0.16"), std::string::npos);
  EXPECT_EQ(many(7).find("solid 0.16"), std::string::npos);
}

TEST(Injection, NoTextOfARegretFigureIsACommand) {
  for (const std::string& text : hostile_texts()) {
    EXPECT_EQ(gnuplot_commands(regret_drawing(figure(text)).script).find("PLANTED"), std::string::npos) << text;
  }
}

TEST(Injection, NoFolderOrPolicyOfAStoredCurveIsACommand) {
  for (const std::string& text : hostile_texts()) {
    const StoredCurves one{.name = text + "/" + text, .policies = {curve(text)}, .spec = {}};
    const StoredCurves two{.name = text + "/b", .policies = {curve("d-ucb")}, .spec = {}};
    const RegretFigure both = regret_figure(std::vector{one, two}, text);
    EXPECT_EQ(gnuplot_commands(regret_drawing(both).script).find("PLANTED"), std::string::npos) << text;
    EXPECT_NE(both.title.find(text), std::string::npos) << "or nothing was tested";
  }
}

/// The walker above knows gnuplot's rules as we understand them; gnuplot itself has the last word.
TEST(Injection, GnuplotDrawsHostileNamesAndRunsNothing) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Scratch scratch;
  for (const std::string& text : hostile_texts()) {
    const auto complaint = draw(regret_drawing(figure(text)), scratch.path(), "figure");
    EXPECT_FALSE(complaint) << *complaint << ": " << text;
    for (const std::string_view extension : figure_extensions()) {
      EXPECT_TRUE(std::filesystem::remove(scratch.path() / ("figure." + std::string(extension)))) << text;
    }
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << text;
  }
}

TEST(Injection, NoNameOfAFileOrFolderIsACommand) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const std::string name :
       {"it's", "'; system('touch PLANTED'); '", "`touch PLANTED`", "| touch PLANTED", "\"; system('touch PLANTED'"}) {
    const Scratch scratch;
    const std::filesystem::path folder = scratch.path() / name;
    std::filesystem::create_directory(folder);
    const auto complaint = draw(regret_drawing(figure("d-ucb")), folder, name);
    EXPECT_FALSE(complaint) << *complaint;
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<std::string>{name, name + ".pdf", name + ".png", name + ".svg"}));
  }
}

/// What the tests above rest on: the same command outside of quotes does run.
TEST(Injection, ACommandInAScriptWouldRun) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Scratch scratch;
  static_cast<void>(draw({.script = "! " + std::string(kPlanted) + "\nplot x\n", .width = 100, .height = 100}, scratch.path(), "figure"));
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "PLANTED"));
}

}  // namespace
}  // namespace dbandit::report
