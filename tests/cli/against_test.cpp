#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "process.hpp"

/// `bench --against` end to end, on toy problems: what the figures are is not asserted, only what no machine can turn around.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;

class Against : public testing::Test {
 protected:
  Outcome against(const std::string& other, std::vector<std::string> more = {}) {
    return dbandit(std::vector<std::string>{"bench", "--smoke", "--against", other} + more, {.directory = scratch.path()});
  }
  /// A program that is a script.
  std::string script(const std::string& name, const std::string& body) {
    write_file(scratch / name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(scratch / name, fs::perms::owner_all);
    return scratch / name;
  }

  Scratch scratch;
};

TEST_F(Against, ItselfNothingChangesByTenTimes) {
  const Outcome outcome = against(DBANDIT_PROGRAM, {"--threshold", "1000"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no change beyond 1000 % (--threshold 1000)"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("other numbers"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("repetition 16"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << "a pipe is given lines";
}

TEST_F(Against, AProgramThatSimulatesSevenTimesItIsFaster) {
  const std::string slow = script("slow", "for i in 1 2 3 4 5 6; do '" DBANDIT_PROGRAM
                                          "' \"$@\" >/dev/null; done\n"
                                          "exec '" DBANDIT_PROGRAM "' \"$@\"");
  const Outcome outcome = against(slow, {"--threshold", "100%"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 slower and 2 faster beyond 100 %"), std::string::npos) << outcome.out;
}

TEST_F(Against, AProgramThatDoesNothingItIsSlowerAndTheNumbersAreOthers) {
  const Outcome outcome = against(script("fast", "exit 0"));
  EXPECT_EQ(outcome.exit, 3) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("2 slower and 0 faster beyond 2 %"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("d-ucb, round by round: the two print other numbers"), std::string::npos) << outcome.out;
}

TEST_F(Against, WhatTheOtherCannotDoIsLeftOutAndSaid) {
  const std::string older =
      script("older", "case \"$*\" in *d-klucb*) echo 'no such policy' >&2; exit 2 ;; esac; exec '" DBANDIT_PROGRAM "' \"$@\"");
  const Outcome outcome = against(older, {"--threshold", "1000"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("d-klucb, round by round: left out, the other ended with 2: no such policy"), std::string::npos)
      << outcome.out;
  const Outcome nothing = against(script("broken", "echo 'not at all' >&2; exit 1"));
  EXPECT_EQ(nothing.exit, 2);
  EXPECT_NE(nothing.err.find("runs none of the simulations"), std::string::npos) << nothing.err;
}

TEST_F(Against, WithoutTimeItDoesNotSayThatNothingChanged) {
  const Outcome outcome = against(script("fast", "exit 0"), {"--time", "1e-9"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("no change beyond"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("2 of 2 ran too few times to be judged"), std::string::npos) << outcome.out;
}

TEST_F(Against, WhatIsNoProgramAndNoCommitIsRefused) {
  for (const auto* other : {"nothing", "--help-me", "HEAD", "."}) {
    const Outcome outcome = dbandit({"bench", "--smoke", "--against=" + std::string(other)}, {.directory = scratch.path()});
    EXPECT_EQ(outcome.exit, 2) << other;
    EXPECT_NE(outcome.err.find("is neither a program nor a commit"), std::string::npos) << outcome.err;
  }
}

TEST_F(Against, ItsFlagsNeedItAndItRefusesTheOthers) {
  EXPECT_NE(dbandit({"bench", "--threshold", "2"}).err.find("belong to --against"), std::string::npos);
  EXPECT_NE(dbandit({"bench", "--time", "2"}).err.find("belong to --against"), std::string::npos);
  EXPECT_NE(against(DBANDIT_PROGRAM, {"--out", "here"}).err.find("takes neither --quick nor --out"), std::string::npos);
  EXPECT_NE(against(DBANDIT_PROGRAM, {"--threshold", "two"}).err.find("--threshold: 'two' is not a percentage of the time"),
            std::string::npos);
  EXPECT_NE(against(DBANDIT_PROGRAM, {"--time", "0"}).err.find("--time: '0' is not a number of seconds"), std::string::npos);
}

/// A checkout whose program does nothing: its commit is built once, then found.
TEST_F(Against, ACommitIsBuiltAndKept) {
  fs::create_directories(scratch.path() / "src");
  write_file(scratch / "CMakeLists.txt", "cmake_minimum_required(VERSION 3.19)\nproject(toy C)\nadd_subdirectory(src)\n");
  write_file(scratch / "src/CMakeLists.txt", "add_executable(dbandit main.c)\n");
  write_file(scratch / "src/main.c", "int main(void) { return 0; }\n");
  write_file(
      scratch / "CMakePresets.json",
      R"({"version": 2, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]})");
  const std::string git = "cd '" + scratch.path().string() +
                          "' && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm toy >/dev/null 2>&1";
  if (std::system(git.c_str()) != 0) GTEST_SKIP() << "git is not there";
  for (const bool is_built : {false, true}) {
    const Outcome outcome = against("HEAD");
    EXPECT_EQ(outcome.exit, 3) << outcome.err << outcome.out;
    EXPECT_EQ(outcome.err.find("building ") == std::string::npos, is_built) << outcome.err;
    EXPECT_NE(outcome.out.find("/build/against/"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace dbandit::test
