#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// What helps before and after a run: plan, replay, compare, doctor, progress for programs, warnings that teach.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;
using Json = nlohmann::ordered_json;

Words as(const std::string& command, Words run) {
  run.front() = command;
  return run;
}

std::set<std::string> flags_of(const std::string& command) {
  const std::string help = dbandit({command, "--help"}).out;
  const std::regex flag(R"(\n +(?:-[a-z],)?(--[a-z-]+))");
  std::set<std::string> found;
  for (std::sregex_iterator match(help.begin(), help.end(), flag), end; match != end; ++match) found.insert((*match)[1]);
  return found;
}

TEST(Plan, CountsByFormulaAndRunsNothing) {
  const Scratch scratch;
  const Outcome outcome = dbandit(as("plan", small_run()) + Words{"--json", "--out", scratch / "results"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const Json plan = Json::parse(outcome.out);
  EXPECT_EQ(plan["schema"], "dbandit.plan.v1");
  EXPECT_EQ(plan["problems"], 1);
  EXPECT_EQ(plan["cells"], 3);
  EXPECT_EQ(plan["blocks"], 3) << "300 replicas in blocks of 128";
  EXPECT_EQ(plan["replica_rounds"], 300.0 * 60 * 3);
  EXPECT_GT(plan["cpu_seconds"], 0);
  EXPECT_EQ(plan["seconds_per_replica_round"].size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(scratch / "results"));
}

TEST(Plan, KnowsTheDiskARunTakesWithinAFifth) {
  const Scratch scratch;
  ASSERT_EQ(dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:5", "--censor", "10", "--horizon", "3000", "--policies",
                     "d-klucb,ud-ucb", "--replicas", "5000", "--out", scratch / "results", "--quiet"})
                .exit,
            0);
  double bytes = 0;
  for (const char* name : {"spec.toml", "curve.csv", "band.csv", "distribution.csv", "risk.csv", "summary.json", "manifest.json"}) {
    bytes += static_cast<double>(std::filesystem::file_size(std::filesystem::path(scratch / "results") / name));
  }
  const Json plan = Json::parse(dbandit({"plan", (scratch / "results") + "/spec.toml", "--json"}).out);
  EXPECT_NEAR(plan["disk_bytes"].get<double>(), bytes, bytes / 5);
}

TEST(Plan, CountsTheCellsOfASweep) {
  const Json plan = Json::parse(dbandit(as("plan", small_run()) + Words{"--vary", "censor=5,10,20", "--json"}).out);
  EXPECT_EQ(plan["problems"], 3);
  EXPECT_EQ(plan["cells"], 9);
  EXPECT_EQ(plan["replica_rounds"], 3 * 300.0 * 60 * 3);
}

TEST(Plan, RefusesWhatDoesNotFitInOneLineThatSaysWhatToChange) {
  const Outcome outcome = dbandit({"plan", "--theta", "0.5,0.3", "--delay", "geometric:10000000", "--horizon", "1000000000", "--policies",
                                   "ud-klucb", "--threads", "1024"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("memory: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--threads"), std::string::npos) << outcome.err;
}

TEST(Plan, TakesEveryFlagOfRun) {
  const std::set<std::string> plan = flags_of("plan"), run = flags_of("run");
  ASSERT_GT(run.size(), 20u);
  for (const std::string& flag : run) EXPECT_TRUE(plan.contains(flag)) << flag;
}

class StoredRun : public testing::Test {
 protected:
  Scratch scratch;
  std::string folder(const std::string& name, const Words& more = {}) {
    const std::string path = scratch / name;
    Words words = small_run();
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) {
      const auto known = std::find(words.begin(), words.end(), more[i]);
      if (known == words.end()) {
        words.insert(words.end(), {more[i], more[i + 1]});
      } else {
        *(known + 1) = more[i + 1];
      }
    }
    const Outcome outcome = dbandit(words + Words{"--out", path, "--quiet"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return path;
  }
};

TEST_F(StoredRun, ReplaysToTheSameBytesOnAnyThreads) {
  const std::string path = folder("mine");
  const Outcome outcome = dbandit({"replay", path, "--threads", "3", "--quiet"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("identical: spec.toml, curve.csv, band.csv, distribution.csv, risk.csv, summary.json"), std::string::npos)
      << outcome.out;
}

TEST_F(StoredRun, ReplayFindsTheFirstByteThatDiffersInEveryFile) {
  for (const char* name : {"curve.csv", "band.csv", "summary.json"}) {
    const std::string path = folder("mine");
    std::string text = read_file(std::filesystem::path(path) / name);
    const std::size_t at = text.rfind('7');
    text[at] = '8';
    write_file(std::filesystem::path(path) / name, text);
    const Outcome outcome = dbandit({"replay", path, "--quiet"});
    EXPECT_EQ(outcome.exit, 3) << name;
    EXPECT_NE(outcome.out.find(std::string(name) + ", line "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("byte " + std::to_string(at)), std::string::npos) << outcome.out;
  }
}

TEST_F(StoredRun, ReplayTakesAFolderOfFolders) {
  folder("all/a");
  folder("all/b", {"--epsilon", "0.5"});
  const Outcome outcome = dbandit({"replay", scratch / "all", "--quiet"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("all/a: identical"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("all/b: identical"), std::string::npos) << outcome.out;
}

TEST_F(StoredRun, ReplayRefusesWhatHoldsNoRun) {
  for (const std::string& path : {scratch / "nowhere", scratch.path().string()}) {
    const Outcome outcome = dbandit({"replay", path});
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find("holds no run"), std::string::npos) << outcome.err;
  }
}

TEST_F(StoredRun, ComparedWithItselfIsTheSame) {
  const std::string a = folder("a"), b = folder("b");
  const Outcome outcome = dbandit({"compare", a, b, "--json"});
  EXPECT_EQ(outcome.exit, 0);
  const Json found = Json::parse(outcome.out);
  EXPECT_TRUE(found["settings"].empty());
  EXPECT_EQ(found["method"], "paired");
  for (const Json& policy : found["policies"]) EXPECT_EQ(policy["difference"], (Json{{"mean", 0.0}, {"ci95", {0.0, 0.0}}}));
}

TEST_F(StoredRun, CompareNamesWhatDiffersAndEndsWith3WhenItBecameWorse) {
  const std::string a = folder("a"), b = folder("b", {"--epsilon", "20"});
  const Outcome worse = dbandit({"compare", a, b, "--json"});
  EXPECT_EQ(worse.exit, 3) << worse.out << worse.err;
  const Json found = Json::parse(worse.out);
  ASSERT_EQ(found["settings"].size(), 1u);
  EXPECT_EQ(found["settings"][0], (Json{{"key", "epsilon"}, {"a", "0"}, {"b", "20"}}));
  EXPECT_EQ(found["method"], "welch");
  for (const char* thousand : {"1000%", "1000"}) EXPECT_EQ(dbandit({"compare", a, b, "--threshold", thousand}).exit, 0);
  for (const char* two : {"2", "2%", "2.0"}) {
    const Json strict = Json::parse(dbandit({"compare", a, b, "--threshold", two, "--json"}).out);
    EXPECT_EQ(strict["threshold"], 0.02) << two;
  }
  const Outcome words = dbandit({"compare", a, b, "--threshold", "2"});
  EXPECT_EQ(words.exit, 3);
  EXPECT_NE(words.out.find("worse: by more than 2 % of A's regret"), std::string::npos) << words.out;
  EXPECT_EQ(dbandit({"compare", b, a}).exit, 0) << "the other way round it became better";
}

TEST_F(StoredRun, CompareByRerunIsPairedAndSharperWhereWorldsAreShared) {
  const std::string a = folder("a"), b = folder("b", {"--epsilon", "1"});
  const Json welch = Json::parse(dbandit({"compare", a, b, "--json"}).out);
  const Json paired = Json::parse(dbandit({"compare", a, b, "--json", "--rerun", "--quiet"}).out);
  EXPECT_EQ(paired["method"], "paired");
  const auto width = [](const Json& found, std::size_t p) {
    const Json& interval = found["policies"][p]["difference"]["ci95"];
    return interval[1].get<double>() - interval[0].get<double>();
  };
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_NEAR(paired["policies"][p]["difference"]["mean"].get<double>(), welch["policies"][p]["difference"]["mean"].get<double>(), 1e-9);
    EXPECT_LT(width(paired, p), width(welch, p));
  }
  EXPECT_EQ(width(paired, 2), 0) << "epsilon does not change uniform play: the same draws, the same arms";
}

TEST_F(StoredRun, CompareByRerunNeedsTheSameWorlds) {
  const std::string a = folder("a"), b = folder("b", {"--epsilon", "1", "--theta", "0.5,0.2"});
  const Outcome outcome = dbandit({"compare", a, b, "--rerun"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("nothing to pair"), std::string::npos) << outcome.err;
}

TEST(Doctor, LooksAtEverythingAndHasAFixForWhatIsWrong) {
  const Outcome outcome = dbandit({"doctor", "--json"});
  ASSERT_EQ(outcome.exit, 0);
  const Json report = Json::parse(outcome.out);
  std::set<std::string> seen;
  for (const Json& finding : report["findings"]) {
    seen.insert(finding["what"]);
    EXPECT_FALSE(finding["found"].get<std::string>().empty()) << finding;
    EXPECT_EQ(finding["ok"].get<bool>(), !finding.contains("fix")) << finding;
  }
  for (const char* what :
       {"compiler", "libraries", "cpu", "targets", "cores", "load", "governor", "huge pages", "benchmark", "mpi", "gnuplot"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
}

TEST(Doctor, MissesGnuplotWhereThereIsNone) {
  const Outcome outcome = dbandit({"doctor"}, {.environment = {{"PATH", "/nowhere"}}});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("fix: apt install gnuplot-nox"), std::string::npos) << outcome.out;
}

TEST(Progress, AsJsonIsAnObjectALineAndEndsWithAllDone) {
  const Outcome outcome = dbandit(small_run() + Words{"--progress", "json", "--json"});
  ASSERT_EQ(outcome.exit, 0);
  EXPECT_TRUE(Json::accept(outcome.out)) << "standard output is the result's alone";
  std::istringstream lines(outcome.err);
  Json last;
  for (std::string line; std::getline(lines, line);) {
    last = Json::parse(line);
    EXPECT_EQ(last["event"], "progress");
    EXPECT_LE(last["done"], last["all"]);
  }
  EXPECT_EQ(last["done"], 3);
  EXPECT_EQ(last["all"], 3);
  EXPECT_EQ(last["seconds_left"], 0.0);
}

TEST(Progress, RefusesOtherForms) {
  const Outcome outcome = dbandit(small_run() + Words{"--progress", "xml"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err, "dbandit: --progress: 'xml' is not one of: auto json none\n");
}

struct Lesson {
  std::string name;
  Words flags;
  std::string warning;  ///< a part of the one line
  friend void PrintTo(const Lesson& lesson, std::ostream* out) { *out << lesson.name; }
};

class Lessons : public testing::TestWithParam<Lesson> {};

TEST_P(Lessons, AreOneLineThatNamesTheFlag) {
  Words run = small_run("d-klucb,uniform");
  for (std::size_t i = 0; i < GetParam().flags.size(); i += 2) {
    const auto known = std::ranges::find(run, GetParam().flags[i]);
    if (known != run.end()) {
      *(known + 1) = GetParam().flags[i + 1];
    } else {
      run = run + Words{GetParam().flags[i], GetParam().flags[i + 1]};
    }
  }
  const Outcome outcome = dbandit(run);
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.err.starts_with("dbandit: warning: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().warning), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const char* silent : {"--quiet", "--json", "--csv"}) EXPECT_EQ(dbandit(run + Words{silent}).err, "") << silent;
}

INSTANTIATE_TEST_SUITE_P(
    Warnings, Lessons,
    testing::Values(Lesson{"FewReplicas", {"--replicas", "20"}, "20 replicas are few for a 95 % interval"},
                    Lesson{"WideInterval", {"--replicas", "40"}, "makes it about ± 5 %"},
                    Lesson{"HeavyCensoring",
                           {"--delay", "geometric:5000", "--censor", "10", "--replicas", "3000", "--theta", "1,0", "--policies", "uniform"},
                           "a window of 10 shows 0.22 % of the conversions"},
                    Lesson{"ThreadsBeyondTheCores", {"--threads", "900", "--replicas", "3000"}, "they take turns; --threads "}),
    [](const auto& info) { return info.param.name; });

TEST(Warnings, AreNotGivenWhereThereIsNothingToTeach) { EXPECT_EQ(dbandit(small_run("uniform") + Words{"--threads", "1"}).err, ""); }

}  // namespace
}  // namespace dbandit::test
