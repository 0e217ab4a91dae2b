#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>

#include <cstdio>
#include <functional>

#include "cli/kept.hpp"

/// Files that are none, never end or never begin, in every place where a file is read: one line, at once, without the memory.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;

/// What stands where a file should be.
struct Impostor {
  std::string name;
  std::function<void(const fs::path&)> put;
  std::string says;
};

const std::vector<Impostor> kImpostors{
    {"Folder", [](const fs::path& path) { fs::create_directory(path); }, "is a folder"},
    {"PipeThatNobodyWritesTo", [](const fs::path& path) { ::mkfifo(path.c_str(), 0666); }, "is a pipe; write it to a file"},
    {"EndlessDevice", [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }, "is not a regular file"},
    {"SixtyGigabytes",
     [](const fs::path& path) {
       write_file(path, "");
       fs::resize_file(path, 60'000'000'000);
     },
     "is longer than the "},
};

/// Where a file is read, and what the program says with it when the file is wrong.
struct Reader {
  std::string name;
  std::string file;  ///< below the folder of the test
  Words arguments;
  int exit = 2;
};

const Words kProblem{"--theta", "0.5,0.3", "--censor", "10", "--horizon", "60", "--policies", "d-ucb", "--replicas", "300", "--quiet"};

const std::vector<Reader> kReaders{
    {"Spec", "spec", {"run", "spec"}},
    {"SpecOfASweep", "spec", {"sweep", "spec", "--vary", "censor=5,10"}},
    {"Empirical", "law", Words{"run", "--delay", "empirical:law"} + kProblem},
    {"AssumedEmpirical", "law", Words{"run", "--delay", "geometric:5", "--assume-delay", "empirical:law"} + kProblem},
    {"CheckpointToContinue", "r/checkpoint", {"run", "--resume", "r"}, 6},
    {"CheckpointInTheWay", "r/checkpoint", Words{"run", "--delay", "geometric:5", "--out", "r"} + kProblem, 6},
    {"CheckpointToPlanWith", "r/checkpoint", {"plan", "--resume", "r"}, 6},
    {"ShardToContinue", "r/checkpoint", Words{"run", "--delay", "geometric:5", "--shard", "1/2", "--out", "r"} + kProblem, 6},
    {"ShardToMerge", "r/checkpoint", {"merge", "r", "--out", "all"}, 6},
    {"CurveToPlot", "r/curve.csv", {"plot", "r"}},
    {"BandToPlot", "r/band.csv", {"plot", "r"}},
    {"CurveOfAPage", "r/curve.csv", {"report", "r"}},
    {"SummaryOfAPage", "r/summary.json", {"report", "r"}},
    {"DistributionOfAPage", "r/distribution.csv", {"report", "r"}},
    {"RiskOfAPage", "r/risk.csv", {"report", "r"}},
    {"ManifestOfAPage", "r/manifest.json", {"report", "r"}},
    {"SpecToCompare", "r/spec.toml", {"compare", "r", "r"}},
    {"SummaryToCompare", "r/summary.json", {"compare", "r", "r"}},
    {"ManifestToCompare", "r/manifest.json", {"compare", "r", "r"}},
    {"CurveToReplay", "r/curve.csv", {"replay", "r"}},
};

void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }

class Inputs : public testing::TestWithParam<Reader> {};

TEST_P(Inputs, ThatAreNoFilesOfTheirKindAreRefusedAtOnce) {
  const Reader& reader = GetParam();
  for (const Impostor& impostor : kImpostors) {
    SCOPED_TRACE(impostor.name);
    const Scratch scratch;
    if (reader.file.starts_with("r/")) {
      ASSERT_EQ(dbandit(small_run("d-ucb") + Words{"--quiet", "--out", scratch / "r"}).exit, 0);
      fs::remove(scratch / reader.file);
    }
    impostor.put(scratch / reader.file);
    const Outcome outcome =
        dbandit(reader.arguments, {.address_space = rlim_t{2'000'000'000}, .patience = 30, .directory = scratch.path()});
    if (outcome.err.find("built without the chart library") != std::string::npos) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.exit, reader.exit) << outcome.err;
    EXPECT_NE(outcome.err.find(impostor.says), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(fs::path(reader.file).filename()), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Inputs, testing::ValuesIn(kReaders), [](const auto& info) { return info.param.name; });

/// Three gigabytes are allowed; that they are none of ours shows in the first bytes.
TEST(Checkpoint, ThatDoesNotBeginLikeOneIsNotReadToItsEnd) {
  const Scratch scratch;
  fs::create_directory(scratch / "r");
  write_file(scratch / "r/checkpoint", "");
  fs::resize_file(scratch / "r/checkpoint", 3'000'000'000);
  const Outcome outcome = dbandit({"run", "--resume", scratch / "r"}, {.address_space = rlim_t{2'000'000'000}, .patience = 30});
  EXPECT_EQ(outcome.exit, 6) << outcome.err;
  EXPECT_NE(outcome.err.find("damaged at byte 0: not the beginning of a checkpoint"), std::string::npos) << outcome.err;
}

TEST(StandardInput, MayBeTheSpecOrTheLawAsAFileOrAPipe) {
  const Scratch scratch;
  write_file(scratch / "spec", "theta = [0.5, 0.3]\ndelay = \"geometric:5\"\ncensor = 10\nhorizon = 60\npolicies = [\"d-ucb\"]\n");
  write_file(scratch / "law", "0 5\n3 7\n");
  const std::string program = DBANDIT_PROGRAM;
  const auto output = [&](const std::string& command) {
    FILE* const pipe = ::popen(("cd " + scratch.path().string() + " && " + command + " 2>&1").c_str(), "r");
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
  };
  const std::string expected = output(program + " run spec --csv");
  EXPECT_EQ(output(program + " run /dev/stdin --csv < spec"), expected);
  EXPECT_EQ(output("cat spec | (sleep 0.2; " + program + " run /dev/stdin --csv)"), expected);
  EXPECT_EQ(output("cat law | " + program + " run spec --delay empirical:/dev/stdin --csv"),
            output(program + " run spec --delay empirical:law --csv"));
}

/// The default number of threads is that of the cores the process may use, and nothing is said about it.
TEST(Threads, UnderTasksetAreOneAndNobodyIsWarned) {
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  const Outcome outcome = dbandit(small_run(), {.launcher = {"taskset", "-c", std::to_string(cpu)}});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find(", 1 thread"), std::string::npos) << outcome.out;
  Words words = small_run() + Words{"--json"};
  words.front() = "plan";
  const Outcome plan = dbandit(words, {.launcher = {"taskset", "-c", std::to_string(cpu)}});
  EXPECT_NE(plan.out.find("\"threads\":1,"), std::string::npos) << plan.out << plan.err;
  const Outcome more = dbandit(small_run() + Words{"--threads", "2"}, {.launcher = {"taskset", "-c", std::to_string(cpu)}});
  EXPECT_NE(more.err.find("2 threads, but the process may use 1 core: they take turns; --threads 1"), std::string::npos) << more.err;
}

TEST(Plot, OfAResultOfOneRoundIsDrawn) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  for (const Words& rounds : {Words{"--theta", "0.5", "--horizon", "1"}, Words{"--theta", "0.5,0.3", "--horizon", "5", "--at", "5"},
                              Words{"--theta", "0.5,0.3", "--horizon", "5", "--at", "1"}}) {
    const Scratch scratch;
    const Words run = Words{"run", "--delay", "geometric:5", "--censor", "10", "--policies", "d-ucb,uniform", "--replicas", "200"} +
                      rounds + Words{"--out", scratch / "r", "--quiet"};
    ASSERT_EQ(dbandit(run).exit, 0);
    const Outcome page = dbandit({"report", scratch / "r"});
    if (page.err.find("built without the chart library") == std::string::npos) {
      EXPECT_EQ(page.exit, 0) << page.err;
      EXPECT_TRUE(fs::exists(scratch / "r/report.html"));
    }
    const Outcome plotted = dbandit({"plot", scratch / "r"});
    EXPECT_EQ(plotted.exit, 0) << plotted.err;
    EXPECT_TRUE(fs::exists(scratch / "r/figure.svg"));
  }
}

}  // namespace
}  // namespace dbandit::test
