#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// `dbandit bench` end to end, everything once on toy problems. No test asserts a time: here the figures mean nothing.
namespace dbandit::test {
namespace {

using nlohmann::json;

/// Other tools read these.
const std::vector<std::string> kRatios{"klucb_simd_over_reference",
                                       "ucb_simd_over_reference",
                                       "klucb_over_ucb_time",
                                       "direct_over_bisection",
                                       "recursion_over_buffer_m1000",
                                       "mixture_recursion_over_buffer",
                                       "approx_over_buffer",
                                       "recursion_m10000_over_m100_time",
                                       "threads2_over_1",
                                       "avx512_over_sse2",
                                       "avx2_over_sse2",
                                       "engine_over_floor_ucb",
                                       "engine_over_floor_klucb",
                                       "k30_over_k3_per_arm_time",
                                       "k100_over_k10_per_arm_time",
                                       "k300_over_k10_per_arm_time",
                                       "k1000_over_k10_per_arm_time",
                                       "k1000_over_k10_per_arm_time_long",
                                       "t1e3_over_t1e4_time",
                                       "agnostic_klucb_over_ucb",
                                       "slowest_policy_over_ucb",
                                       "slowest_agnostic_over_ucb"};

class Bench : public testing::Test {
 protected:
  Outcome smoke(std::vector<std::string> more = {}) {
    return dbandit(std::vector<std::string>{"bench", "--smoke"} + more, {.directory = scratch.path()});
  }

  Scratch scratch;
};

TEST_F(Bench, WritesEveryRatioUnderItsNameWithMedianSpreadAndCount) {
  const Outcome outcome = smoke();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json summary = json::parse(read_file(scratch / "results/throughput/summary.json"));
  EXPECT_EQ(summary.at("schema"), "dbandit.bench.v1");
  for (const std::string& name : kRatios) {
    ASSERT_TRUE(summary.contains(name)) << name;
    const json& ratio = summary.at(name);
    EXPECT_TRUE(ratio.contains("target") && ratio.contains("better")) << name;
    if (ratio.at("median").is_null()) {
      EXPECT_FALSE(ratio.at("reason").get<std::string>().empty()) << name << ": a ratio that cannot be had says why";
      continue;
    }
    EXPECT_GT(ratio.at("median").get<double>(), 0) << name;
    EXPECT_LE(ratio.at("spread").at(0), ratio.at("spread").at(1)) << name;
    EXPECT_EQ(ratio.at("n"), 1) << name;
  }
  for (const auto* key : {"command", "commit", "cpu", "load_average", "stages", "leaps", "nanoseconds", "replica_rounds_per_second"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
}

TEST_F(Bench, WritesTablesAndRawFiguresThatNameNoFolderOfTheMachine) {
  ASSERT_EQ(smoke({"--out", "here"}).exit, 0);
  const std::string readme = read_file(scratch / "here/README.md");
  for (const std::string& name : kRatios) EXPECT_NE(readme.find("`" + name + "`"), std::string::npos) << name;
  for (const auto* question : {"index", "exposure", "floor", "world", "engine", "scaling"}) {
    const std::string raw = read_file(scratch / (std::string("here/raw/") + question + ".json"));
    EXPECT_FALSE(json::parse(raw).at("benchmarks").empty()) << question;
    EXPECT_EQ(raw.find(std::filesystem::path(DBANDIT_PROGRAM).parent_path().string()), std::string::npos) << question;
  }
}

TEST_F(Bench, WithoutGnuplotItSaysWhichPackageAndGoesOn) {
  const Outcome outcome = dbandit({"bench", "--smoke"}, {.environment = {{"PATH", "/nowhere"}}, .directory = scratch.path()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("gnuplot-nox"), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(scratch / "results/throughput/README.md"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "results/throughput/stages.svg"));
}

}  // namespace
}  // namespace dbandit::test
