#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

/// reproduce, claims and sweep as somebody types them.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words small_sweep(const std::string& out) {
  return {"sweep",      "--vary",        "censor=5,20", "--theta", "0.5,0.3", "--delay", "geometric:5", "--horizon", "60",
          "--policies", "d-ucb,d-klucb", "--replicas",  "300",     "--out",   out};
}

/// Every file below a folder but manifests, checkpoints and the pictures made from the rest, by name.
std::map<std::string, std::string> numbers_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || entry.path().filename() == "manifest.json" || entry.path().filename() == "checkpoint" ||
        extension == ".png" || extension == ".svg" || extension == ".pdf")
      continue;
    files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  }
  return files;
}

TEST(Reproduce, GivesTableVerdictsAndAFolderPerFigure) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"reproduce", "fig2", "--replicas", "64", "--out", scratch / "paper"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("discard-klucb"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("verdict"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("linear for the first m rounds"), std::string::npos) << outcome.out;
  for (const char* file : {"spec.toml", "curve.csv", "summary.json", "manifest.json"}) {
    EXPECT_TRUE(fs::exists(scratch.path() / "paper/fig2/low" / file)) << file;
  }
  // Its spec is that of a plain run: the same numbers come out.
  const Outcome again = dbandit({"run", scratch / "paper/fig2/low/spec.toml", "--out", scratch / "again"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(numbers_in(scratch.path() / "paper/fig2/low"), numbers_in(scratch.path() / "again"));
}

TEST(Reproduce, OfAProblemOfOnesOwnIsARunOfItAndJudgesNothing) {
  const Scratch scratch;
  const Words problem{"--theta", "0.4,0.2", "--delay", "uniform:0..20", "--censor", "30"};
  const Outcome outcome = dbandit(Words{"reproduce", "fig1", "--replicas", "32", "--out", scratch / "own"} + problem);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("its claims are not judged"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("verdict"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("uniform delays, mean 10 rounds, window 30 rounds"), std::string::npos) << outcome.out;
  const std::string spec = read_file(scratch / "own/fig1/own/spec.toml");
  EXPECT_NE(spec.find("theta = [0.4, 0.2]"), std::string::npos) << spec;
  EXPECT_NE(spec.find("censor = 30"), std::string::npos) << spec;
  EXPECT_FALSE(fs::exists(scratch.path() / "own/fig1/low")) << "the paper's two differ in their rates only";
  EXPECT_EQ(dbandit({"reproduce", "fig1", "--theta", "2"}).exit, 2);
}

TEST(Reproduce, IsTheSameBytesWhateverTheThreads) {
  const Scratch scratch;
  for (const std::string threads : {"1", "2"}) {
    const Outcome outcome = dbandit({"reproduce", "fig2", "--replicas", "40", "--threads", threads, "--out", scratch / threads});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
  }
  EXPECT_EQ(numbers_in(scratch.path() / "1"), numbers_in(scratch.path() / "2"));
}

TEST(Reproduce, DoesNotFailForWantOfAPlotter) {
  const Scratch scratch;
  const Outcome outcome =
      dbandit({"reproduce", "fig2", "--replicas", "16", "--out", scratch / "paper"}, {.environment = {{"PATH", scratch.path().string()}}});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find("gnuplot-nox"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_TRUE(fs::exists(scratch.path() / "paper/fig2/low/curve.csv"));
}

TEST(Claims, OfASelectionAreJudgedAndNotStored) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"claims", "lemma8", "bound-rises", "--quick"}, {.directory = scratch.path()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("→ holds"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("→ fails"), std::string::npos) << outcome.out;
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Claims, AreStoredAsPageAndJson) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"claims", "recursion", "lemma8", "--quick", "--out", scratch / "claims"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(read_file(scratch / "claims/claims.md").find("dbandit claims recursion"), std::string::npos);
  const auto json = nlohmann::json::parse(read_file(scratch / "claims/claims.json"));
  EXPECT_EQ(json["schema"], "dbandit.claims.v1");
  EXPECT_EQ(json["claims"].size(), 2U);
}

TEST(Claims, AreListedWithoutARun) {
  const Outcome outcome = dbandit({"claims", "--list"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("theorem11"), std::string::npos);
}

// The first third of every run: only those of several blocks have one, which are the short ones.
TEST(Slopes, AreAStudyThatCanBeSharded) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"slopes", "--quick", "--quiet", "--shard", "1/3", "--out", scratch / "part"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(scratch.path() / "part/checkpoint"));
  EXPECT_FALSE(fs::exists(scratch.path() / "part/slopes.csv")) << "a part is no result";
  EXPECT_EQ(dbandit({"slopes", "--resume", scratch / "nowhere"}).exit, 2);
}

TEST(Sweep, WritesCsvPairsAndSpecTheSameWhateverTheThreads) {
  const Scratch scratch;
  for (const std::string threads : {"1", "2"}) {
    const Outcome outcome = dbandit(small_sweep(scratch / threads) + Words{"--threads", threads});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("censor"), std::string::npos) << outcome.out;
  }
  const auto files = numbers_in(scratch.path() / "1");
  EXPECT_TRUE(files.contains("sweep.csv") && files.contains("paired.csv") && files.contains("spec.toml"));
  EXPECT_EQ(files, numbers_in(scratch.path() / "2"));
}

TEST(Sweep, ACellIsWhatRunGivesForIt) {
  const Scratch scratch;
  EXPECT_EQ(dbandit(small_sweep(scratch / "sweep")).exit, 0);
  const Outcome run = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:5", "--censor", "20", "--horizon", "60", "--policies",
                               "d-ucb,d-klucb", "--replicas", "300", "--json"});
  const double mean = nlohmann::json::parse(run.out)["policies"][1]["curve"].back()["regret"]["mean"].get<double>();
  const std::string csv = read_file(scratch / "sweep/sweep.csv"), row = "\n20,d-klucb,regret,";
  const std::size_t found = csv.find(row);
  ASSERT_NE(found, std::string::npos) << csv;
  EXPECT_EQ(std::stod(csv.substr(found + row.size())), mean);
}

TEST(Sweep, PrintsCsvForAPipe) {
  const Scratch scratch;
  const Outcome outcome = dbandit(small_sweep(scratch / "sweep") + Words{"--csv"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_file(scratch / "sweep/sweep.csv"));
}

TEST(Studies, InterruptedLeaveNothingThatLooksWhole) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"reproduce", "fig1", "--replicas", "100000", "--out", scratch / "paper"},
                                  {.interrupt_after = std::chrono::milliseconds(500)});
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  EXPECT_TRUE(!fs::exists(scratch.path() / "paper") || numbers_in(scratch.path() / "paper").empty());
}

}  // namespace
}  // namespace dbandit::test
