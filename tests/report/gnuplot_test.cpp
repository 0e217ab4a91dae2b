#include "report/gnuplot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
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

// The bound is bound · ln t from the first recorded round that is T/5 or later, where it leaves the lowest curve.
TEST(RegretDrawing, TheBoundLeavesTheLowestCurveAtAFifthOfTheHorizon) {
  StoredCurve high{.policy = "high", .mean = {}, .band = {}}, low = high;
  for (const double t : {1.0, 10.0, 20.0, 50.0, 100.0}) {
    low.mean.push_back({t, t, t, t});
    high.mean.push_back({t, 3 * t, 3 * t, 3 * t});
  }
  const std::string script =
      regret_drawing({.title = {}, .quantity = {}, .caption = {}, .panels = {{{}, {high, low}, {"high", "low"}, 2}}}).script;
  const std::string name = "$p0sl << EOD\n";
  const std::size_t from = script.find(name);
  ASSERT_NE(from, std::string::npos);
  const std::string rows = script.substr(from + name.size(), script.find("EOD", from + name.size()) - from - name.size());
  EXPECT_TRUE(rows.starts_with("20 20\n")) << rows;
  // 20 + 2 ln 5 = 23.218876 at T = 100.
  EXPECT_TRUE(rows.ends_with("\n100 23.218876\n")) << rows;
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
