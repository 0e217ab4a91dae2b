#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/kernel/target.hpp"

/// What may vary without changing a byte: threads, instruction set, the way the spec was given.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;

/// The files that stand for a spec, as one text.
std::string stored(const Words& arguments) {
  const Scratch scratch;
  const Outcome outcome = dbandit(arguments + Words{"--out", scratch / "results", "--quiet"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  std::string text;
  for (const char* name : {"spec.toml", "curve.csv", "summary.json"}) text += read_file(scratch.path() / "results" / name);
  return text;
}

/// Several blocks, the last one short, so that threads have something to disorder.
Words many_blocks(const std::string& engine) {
  Words words = small_run("d-klucb,ud-klucb,agnostic-klucb") + Words{"--engine", engine};
  *(std::find(words.begin(), words.end(), "--replicas") + 1) = "1000";
  return words;
}

class EveryEngine : public testing::TestWithParam<std::string> {};

TEST_P(EveryEngine, WritesTheSameBytesWithOneTwoAndSevenThreads) {
  const Words run = many_blocks(GetParam());
  const std::string one = stored(run + Words{"--threads", "1"});
  EXPECT_EQ(one, stored(run + Words{"--threads", "2"}));
  EXPECT_EQ(one, stored(run + Words{"--threads", "7"}));
}

TEST_P(EveryEngine, WritesOtherBytesForAnotherSeed) {
  Words run = many_blocks(GetParam());
  const std::string seven = stored(run);
  *(std::find(run.begin(), run.end(), "--seed") + 1) = "8";
  EXPECT_NE(seven, stored(run));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, EveryEngine, testing::Values("simd", "reference"), [](const auto& info) { return info.param; });

TEST(Bytes, DoNotDependOnTheInstructionSet) {
  const std::string automatic = stored(many_blocks("simd"));
  for (const kernel::Target& target : kernel::targets()) {
    if (!target.supported()) continue;
    EXPECT_EQ(automatic, stored(many_blocks("simd") + Words{"--target", std::string(target.name)})) << target.name;
  }
}

TEST(Bytes, OfARerunFromTheStoredSpecAreTheSame) {
  const Scratch scratch;
  const Words options{"--epsilon", "0.25",  "--clamp",  "none",  "--ties",  "lowest",
                      "--start",   "fixed", "--radius", "paper", "--gamma", "0.75"};
  const Words run = small_run("d-ucb,discard-ucb,ud-agnostic-klucb,oracle-klucb") + options;
  ASSERT_EQ(dbandit(run + Words{"--out", scratch / "first"}).exit, 0);
  ASSERT_EQ(dbandit({"run", scratch / "first/spec.toml", "--out", scratch / "second"}).exit, 0);
  for (const char* name : {"spec.toml", "curve.csv", "summary.json"}) {
    EXPECT_EQ(read_file(scratch.path() / "first" / name), read_file(scratch.path() / "second" / name)) << name;
  }
}

TEST(Bytes, OfTheStoredCurveAreThoseOfCsv) {
  const Scratch scratch;
  const Outcome outcome = dbandit(small_run() + Words{"--csv", "--out", scratch / "results"});
  EXPECT_EQ(outcome.out, read_file(scratch / "results/curve.csv"));
}

TEST(Flags, OverrideTheFile) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + Words{"--out", scratch / "results"}).exit, 0);
  const Outcome outcome = dbandit({"run", scratch / "results/spec.toml", "--policies", "oracle-ucb", "--csv"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\noracle-ucb,10,regret,"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("d-klucb"), std::string::npos) << outcome.out;
}

/// A forced target really is the one that runs.
TEST(Target, IsNamedByTheManifest) {
  for (const kernel::Target& target : kernel::targets()) {
    const std::string name(target.name);
    const Outcome outcome = dbandit(small_run() + Words{"--json", "--target", name});
    if (target.supported()) {
      EXPECT_NE(outcome.out.find("\"target\":\"" + name + "\""), std::string::npos) << outcome.err;
    } else {
      EXPECT_EQ(outcome.exit, 2);
      EXPECT_NE(outcome.err.find("--target: this CPU lacks "), std::string::npos) << outcome.err;
    }
  }
}

}  // namespace
}  // namespace dbandit::test
