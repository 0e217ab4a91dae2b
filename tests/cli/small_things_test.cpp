#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// What a person meets around a run.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

Words with_replicas(Words run, const std::string& replicas) {
  *(std::find(run.begin(), run.end(), "--replicas") + 1) = replicas;
  return run;
}

TEST(Out, SaysAtTheEndOfTheTableWhatItWroteAndNothingInData) {
  const Scratch scratch;
  const Outcome table = dbandit(small_run() + Words{"--out", scratch / "r"});
  EXPECT_TRUE(has(table.out, "\nwritten to " + (scratch / "r") + ": spec.toml, curve.csv, ")) << table.out;
  std::string named = table.out.substr(table.out.rfind("written to"));
  for (const char* file : {"spec.toml", "curve.csv", "summary.json", "manifest.json"}) EXPECT_TRUE(has(named, file)) << named;
  for (const char* form : {"--csv", "--json", "--quiet"}) {
    const Outcome data = dbandit(small_run() + Words{form, "--out", scratch / form});
    EXPECT_FALSE(has(data.out + data.err, "written to")) << form;
  }
  EXPECT_FALSE(has(dbandit(small_run()).out, "written to"));
}

TEST(Progress, FitsTheColumnsOfTheTerminal) {
  for (const unsigned short columns : {20, 50, 200}) {
    const Terminal terminal;
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal.line(), TIOCSWINSZ, &size), 0);
    const Words run = with_replicas(small_run("d-klucb") + Words{"--engine", "reference"}, "6000");
    EXPECT_EQ(dbandit(run, {.standard_error = terminal.line(), .environment = {{"TERM", "xterm"}}}).exit, 0);
    std::string shown = terminal.shown();
    const std::string erase = "\r\033[K";
    EXPECT_TRUE(has(shown, erase)) << shown;
    EXPECT_TRUE(has(shown, "%")) << shown;
    EXPECT_EQ(has(shown, "replica-rounds/s"), columns > 20) << columns << shown;
    for (std::size_t at = 0; (at = shown.find(erase)) != std::string::npos;) {
      EXPECT_LT(std::min(at, shown.size()), columns) << shown.substr(0, at);
      shown.erase(0, at + erase.size());
    }
  }
}

TEST(Progress, OfADumbTerminalIsLinesWithoutControlSequences) {
  const Terminal terminal;
  // Long enough for the first line, which comes after two seconds: asked to end once it is there.
  const Words run = with_replicas(small_run("d-klucb") + Words{"--engine", "reference"}, "100000000");
  const Outcome outcome = dbandit(
      run, {.standard_error = terminal.line(), .environment = {{"TERM", "dumb"}}, .interrupt_after = std::chrono::milliseconds(3500)});
  EXPECT_EQ(outcome.exit, 130);
  const std::string shown = terminal.shown();
  EXPECT_EQ(shown.find('\033'), std::string::npos) << shown;
  for (std::size_t at = 0; (at = shown.find('\r', at)) != std::string::npos; ++at) EXPECT_EQ(shown[at + 1], '\n') << "the terminal's own";
}

TEST(Plot, DrawsAStoredSweepAgainAndNotTogetherWithOthers) {
  const Scratch scratch;
  ASSERT_EQ(dbandit({"sweep", "--vary", "censor=5,20,80", "--theta", "0.5,0.3", "--delay", "geometric:5", "--horizon", "60", "--policies",
                     "d-ucb,d-klucb", "--replicas", "50", "--out", scratch / "s"})
                .exit,
            0);
  if (!std::filesystem::exists(scratch / "s/figure.svg")) GTEST_SKIP() << "gnuplot is not installed";
  const Outcome again = dbandit({"plot", scratch / "s", "--x", "linear", "--out", scratch / "linear.svg"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_TRUE(has(read_file(scratch / "s/figure.svg"), "window, rounds, logarithmic"));
  EXPECT_FALSE(has(read_file(scratch / "linear.svg"), "logarithmic"));
  EXPECT_TRUE(has(dbandit({"plot", scratch / "s", scratch / "s", "--out", scratch / "x"}).err, "a study is drawn by itself"));
  EXPECT_TRUE(has(dbandit({"plot", scratch / "s", "--title", "x"}).err, "--title: is for curves over time"));
}

TEST(Counts, OfOneAreSingular) {
  const Scratch scratch;
  const Outcome run = dbandit(with_replicas(small_run("d-klucb"), "1") + Words{"--out", scratch / "r"});
  EXPECT_TRUE(has(run.err, "warning: 1 replica is few for a 95 % interval")) << run.err;
  const Words problem{"--theta", "0.5,0.3", "--delay", "geometric:5", "--censor", "1", "--horizon", "60", "--policies", "d-klucb"};
  std::string all = run.out + run.err + dbandit(Words{"plan", "--replicas", "1", "--threads", "1"} + problem).out;
  all += dbandit({"diagnose", scratch / "r"}).out + dbandit({"compare", scratch / "r"}).err;
  const Outcome one_thread = dbandit(small_run("d-klucb") + Words{"--threads", "1", "--out", scratch / "one"});
  ASSERT_EQ(one_thread.exit, 0) << one_thread.err;
  all += dbandit({"compare", scratch / "one", scratch / "one"}).out;
  all += dbandit({"claims", "lemma1", "--quick"}).out;
  for (const char* wrong :
       {" 1 replicas", " 1 threads", " 1 folders", "\n1 claims", " 1 rounds", " 1 hold ", "1 replica support ", "up to none", "inf"}) {
    EXPECT_FALSE(has(all, wrong)) << wrong << "\n" << all;
  }
  EXPECT_TRUE(has(all, "1 claim: 1 holds (by definition)")) << all;
  EXPECT_TRUE(has(all, "1 replica supports no quantile beyond the median")) << all;
}

TEST(Cost, OfALawWithoutRecursionIsAWarningWithTheFlagToType) {
  const Words problem{"--theta", "0.5,0.3", "--delay", "weibull:0.7,400", "--censor", "10000", "--horizon", "40000", "--replicas", "8"};
  const Outcome slow = dbandit(Words{"plan", "--policies", "d-ts"} + problem);
  EXPECT_TRUE(has(slow.err, "--exposure approx:")) << slow.err;
  EXPECT_TRUE(has(slow.err, "times as fast")) << slow.err;
  for (const Words& fine : {Words{"--policies", "d-klucb"}, Words{"--policies", "uniform"}}) {
    EXPECT_EQ(dbandit(Words{"plan"} + fine + problem).err, "") << fine.at(1);
  }
}

TEST(Diagnose, SaysWhatAFolderIsThatHoldsNoResult) {
  const Scratch scratch;
  const Words grid{"sweep",     "--vary", "censor=5,20", "--theta", "0.5,0.3",    "--delay", "geometric:5",
                   "--horizon", "60",     "--policies",  "d-ucb",   "--replicas", "50"};
  ASSERT_EQ(dbandit(grid + Words{"--out", scratch / "s"}).exit, 0);
  EXPECT_TRUE(has(dbandit({"diagnose", scratch / "s"}).err, "holds a sweep, which 'dbandit plot' and 'dbandit report' show"));
  ASSERT_EQ(dbandit(small_run() + Words{"--shard", "1/2", "--out", scratch / "half"}).exit, 0);
  EXPECT_TRUE(has(dbandit({"diagnose", scratch / "half"}).err, "is not finished, 'dbandit status' says what continues it"));
}

}  // namespace
}  // namespace dbandit::test
