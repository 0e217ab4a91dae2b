#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "process.hpp"
#include "report/hostile.hpp"
#include "report/page.hpp"

namespace dbandit::test {
namespace {

/// What the command does where the build had no npm.
bool no_page(const Outcome& outcome) {
  if (report::page_assets() != nullptr) return false;
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("apt-get install npm"), std::string::npos) << outcome.err;
  return true;
}

TEST(Report, IsWrittenBesideTheNumbersAndPrintsWhere) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + std::vector<std::string>{"--out", scratch / "r"}).exit, 0);
  const Outcome outcome = dbandit({"report", scratch / "r"});
  if (no_page(outcome)) return;
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, scratch / "r/report.html\n");
  const std::string page = read_file(scratch / "r/report.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("\"ud-ucb\""), std::string::npos);
}

TEST(Report, OfTheSameFoldersIsTheSameBytes) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + std::vector<std::string>{"--out", scratch / "r"}).exit, 0);
  const Outcome outcome = dbandit({"report", scratch / "r", scratch / "r", "-o", scratch / "a.html"});
  if (no_page(outcome)) return;
  ASSERT_EQ(dbandit({"report", scratch / "r", scratch / "r", "--out", scratch / "b.html"}).exit, 0);
  EXPECT_EQ(read_file(scratch / "a.html"), read_file(scratch / "b.html"));
}

TEST(Report, OnRunChangesNothingElse) {
  const Scratch scratch;
  const Outcome plain = dbandit(small_run() + std::vector<std::string>{"--csv", "--out", scratch / "plain"});
  const Outcome paged = dbandit(small_run() + std::vector<std::string>{"--csv", "--out", scratch / "paged", "--report"});
  EXPECT_EQ(std::filesystem::exists(scratch / "paged"), report::page_assets() != nullptr)
      << "nothing is computed for a page that cannot be";
  if (no_page(paged)) return;
  EXPECT_EQ(paged.out, plain.out);
  EXPECT_EQ(read_file(scratch / "paged/summary.json"), read_file(scratch / "plain/summary.json"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "paged/report.html"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "plain/report.html"));
}

TEST(Report, OnSweepHasTheGrid) {
  const Scratch scratch;
  const Outcome outcome =
      dbandit({"sweep", "--theta", "0.5,0.3", "--delay", "geometric:5", "--horizon", "60", "--policies", "d-klucb,d-ucb", "--replicas",
               "50", "--vary", "censor=5,10", "--vary", "epsilon=0,1", "--out", scratch / "s", "--report"});
  if (no_page(outcome)) return;
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const std::string page = read_file(scratch / "s/report.html");
  EXPECT_NE(page.find("--vary censor=5,10 --vary epsilon=0,1 --out again"), std::string::npos);
  write_file(scratch / "s/sweep.csv", read_file(scratch / "s/sweep.csv").substr(0, 200));
  EXPECT_EQ(dbandit({"report", scratch / "s"}).exit, 2);
}

TEST(Report, RefusesWhatIsNoResultInOneLine) {
  const Scratch scratch;
  if (no_page(dbandit({"report"}))) return;
  std::filesystem::create_directory(scratch / "empty");
  write_file(scratch / "file", "x");
  const std::vector<std::vector<std::string>> wrong{{"report"},
                                                    {"report", scratch / "none"},
                                                    {"report", scratch / "file"},
                                                    {"report", scratch / "empty"},
                                                    small_run() + std::vector<std::string>{"--report"}};
  for (const auto& arguments : wrong) {
    const Outcome outcome = dbandit(arguments);
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Plot, OfAStoredCurveRunsNothingThatItsNamesSay) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  const Scratch scratch;
  const std::string folder = scratch / "it's `touch PLANTED`";
  ASSERT_EQ(dbandit(small_run() + std::vector<std::string>{"--out", folder}).exit, 0);
  for (const std::string& name : hostile_texts()) {
    if (name.find_first_of(",\n") != std::string::npos) continue;  // no cell of a table
    write_file(folder + "/curve.csv",
               "policy,t,measure,mean,stderr,ci_low,ci_high\n" + name + ",10,regret,1,1,0,2\n" + name + ",60,regret,2,1,1,3\n");
    for (const char* file : {"/band.csv", "/risk.csv"}) std::filesystem::remove(folder + file);
    const Outcome outcome = dbandit({"plot", folder}, {.directory = scratch.path()});
    EXPECT_EQ(outcome.exit, 0) << name << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "PLANTED") || std::filesystem::exists(folder + "/PLANTED")) << name;
  }
}

}  // namespace
}  // namespace dbandit::test
