#include "cli/process.hpp"

namespace dbandit::test {
namespace {

TEST(Init, WritesASpecThatRuns) {
  const Scratch scratch;
  const std::string spec = scratch / "spec.toml";
  ASSERT_EQ(dbandit({"init", spec}).exit, 0);
  EXPECT_EQ(read_file(spec), dbandit({"init"}).out);
  const Outcome run = dbandit({"run", spec, "--replicas", "16", "--csv"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("d-klucb,10000,regret,"), std::string::npos) << run.out;
}

TEST(Init, HasEveryGroupOnceAndSaysWhatItWrote) {
  const std::string text = dbandit({"init"}).out;
  for (const char* group : {"Problem", "Policies", "Simulation"}) {
    const std::string heading = "# --- " + std::string(group) + " ---\n";
    EXPECT_NE(text.find(heading), std::string::npos) << group;
    EXPECT_EQ(text.find(heading), text.rfind(heading)) << group;
  }
  const Scratch scratch;
  EXPECT_EQ(dbandit({"init", scratch / "spec.toml"}).out, "written to " + (scratch / "spec.toml") + "\n");
}

/// What it says of a key that it leaves out is true: with all of them spelled out the numbers are the same.
TEST(Init, StatesTheDefaults) {
  const Scratch scratch;
  std::string text = dbandit({"init"}).out;
  write_file(scratch / "short.toml", text);
  for (const std::string key : {"epsilon", "clamp", "ties", "start", "radius", "gamma", "prior-shape", "prior-rate", "seed", "until",
                                "replicas", "assume-delay", "engine", "exposure", "solver"}) {
    const std::size_t at = text.find("\n# " + key + " = ");
    ASSERT_NE(at, std::string::npos) << key;
    text.erase(at + 1, 2);
  }
  write_file(scratch / "long.toml", text);
  const Outcome brief = dbandit({"run", scratch / "short.toml", "--csv", "--replicas", "16"}),
                full = dbandit({"run", scratch / "long.toml", "--csv", "--replicas", "16"});
  EXPECT_EQ(full.exit, 0) << full.err;
  EXPECT_EQ(brief.out, full.out);
}

TEST(Init, ReplacesNothing) {
  const Scratch scratch;
  write_file(scratch / "spec.toml", "mine");
  const Outcome outcome = dbandit({"init", scratch / "spec.toml"});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_EQ(read_file(scratch / "spec.toml"), "mine");
}

TEST(Init, PipesIntoRun) {
  EXPECT_EQ(std::system("'" DBANDIT_PROGRAM "' init | '" DBANDIT_PROGRAM "' run - --replicas 16 --quiet --csv >/dev/null"), 0);
}

TEST(Version, HasAShortFlag) { EXPECT_EQ(dbandit({"-V"}).out, dbandit({"--version"}).out); }

}  // namespace
}  // namespace dbandit::test
