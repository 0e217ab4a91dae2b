#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "pages/throughput.hpp"
#include "report/hostile.hpp"

namespace dbandit::bench {
namespace {

Measurement measured(const std::string& name, double nanoseconds, double half_spread = 0.1) {
  return {.name = name, .nanoseconds = {nanoseconds, nanoseconds - half_spread, nanoseconds + half_spread, 5}, .counters = {}};
}

Ratio ratio(Better better, double target, double median) {
  Ratio ratio;
  ratio.name = "some_ratio";
  ratio.better = better;
  ratio.target = target;
  ratio.value = Spread{median, median * 0.9, median * 1.1, 9};
  return ratio;
}

TEST(Spread, IsTheMedianBetweenTheQuartiles) {
  const Spread five = spread({5, 1, 4, 2, 3});
  EXPECT_EQ(five.low, 2);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.high, 4);
  EXPECT_EQ(five.n, 5U);
  EXPECT_EQ(spread({1, 2}).median, 1.5);
  EXPECT_EQ(spread({}).n, 0U);
}

TEST(Ratio, IsMetOnTheGoodSideOfItsTarget) {
  EXPECT_EQ(ratio(Better::higher, 300, 301).met(), true);
  EXPECT_EQ(ratio(Better::higher, 300, 299).met(), false);
  EXPECT_EQ(ratio(Better::lower, 1.5, 1.4).met(), true);
  EXPECT_EQ(ratio(Better::lower, 1.5, 1.6).met(), false);
  Ratio unavailable = ratio(Better::higher, 3, 4);
  unavailable.value.reset();
  EXPECT_EQ(unavailable.met(), std::nullopt);
}

const std::string kGoogle = R"({"context": {"host_name": "me", "executable": "/home/me/bench", "num_cpus": 2}, "benchmarks": [
  {"name": "scaling/threads/2/process_time/real_time", "family_index": 1, "run_name": "scaling/threads/2/process_time/real_time",
   "run_type": "iteration", "real_time": 8.0, "cpu_time": 16.0, "items": 1000},
  {"name": "index/direct/avx2/process_time/real_time", "family_index": 0, "run_name": "index/direct/avx2/process_time/real_time",
   "run_type": "iteration", "real_time": 9.0, "cpu_time": 3.0, "items": 1000, "worst_error": 1e-9},
  {"name": "index/direct/avx2/process_time/real_time", "family_index": 0, "run_name": "index/direct/avx2/process_time/real_time",
   "run_type": "iteration", "real_time": 9.0, "cpu_time": 5.0, "items": 1000, "worst_error": 1e-9},
  {"name": "index/direct/avx2/process_time/real_time_mean", "family_index": 0, "run_name": "index/direct/avx2/process_time/real_time",
   "run_type": "aggregate", "real_time": 9.0, "cpu_time": 4.0, "items": 1000},
  {"name": "world/draw/avx2/mu5/process_time/manual_time", "family_index": 2, "run_name": "world/draw/avx2/mu5/process_time/manual_time",
   "run_type": "iteration", "real_time": 2.0, "cpu_time": 90.0, "items": 1000}]})";

TEST(Measurements, AreCpuTimePerItemInTheOrderOfDeclaration) {
  const auto found = read_measurements(kGoogle);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "index/direct/avx2");
  EXPECT_EQ(found[0].nanoseconds.n, 2U) << "aggregates are not repetitions";
  EXPECT_DOUBLE_EQ(found[0].nanoseconds.median, 4.0);
  EXPECT_EQ(found[0].counters.at("worst_error"), 1e-9);
  EXPECT_DOUBLE_EQ(found[1].nanoseconds.median, 8.0) << "several threads: the wall's time";
  EXPECT_DOUBLE_EQ(found[2].nanoseconds.median, 2.0) << "the benchmark's own clock";
}

TEST(Measurements, OfAWrongKernelAreAnError) {
  const std::string wrong = R"({"context": {}, "benchmarks": [{"name": "a/process_time/real_time", "run_name": "a/process_time/real_time",
    "run_type": "iteration", "error_occurred": true, "error_message": "plays other arms than the reference"}]})";
  try {
    read_measurements(wrong);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a: plays other arms than the reference");
  }
}

TEST(Measurements, AreStoredWithoutAggregatesAndNamesOfTheMachine) {
  const std::string raw = raw_measurements(kGoogle);
  EXPECT_EQ(raw.find("/home/me"), std::string::npos);
  EXPECT_EQ(raw.find("host_name"), std::string::npos);
  EXPECT_EQ(raw.find("aggregate"), std::string::npos);
  EXPECT_EQ(read_measurements(raw).size(), 3U);
}

TEST(Crossover, IsWhereTheLinesMeetBetweenTwoWindows) {
  Throughput found;
  found.ratios.target = "avx2";
  // On logarithmic axes: buffer/recursion is 1/4 at m = 1 and 4 at m = 100, so 1 half-way, at m = 10.
  for (const auto& [window, buffer] : {std::pair("1", 1.0), std::pair("100", 16.0)}) {
    found.measurements.push_back(measured(std::string("exposure/buffer/avx2/m") + window + "/K3", buffer));
    found.measurements.push_back(measured(std::string("exposure/recursion/avx2/m") + window + "/K3", 4));
  }
  ASSERT_TRUE(crossover(found));
  EXPECT_NEAR(*crossover(found), 10, 1e-9);
  found.measurements[0].nanoseconds.median = 5;
  EXPECT_FALSE(crossover(found)) << "the recursion is always faster";
}

TEST(BusyWarning, SpeaksUpForLoadAndForLostTime) {
  Throughput found;
  found.cores = 2;
  found.load_before = 0.2;
  EXPECT_EQ(busy_warning(found), "");
  found.load_before = 1.5;
  EXPECT_NE(busy_warning(found).find("load average was 1.50"), std::string::npos);
  found.load_before = 0;
  found.ratios.taken_away = 0.2;
  EXPECT_NE(busy_warning(found).find("20 %"), std::string::npos);
}

TEST(Plots, WithoutDataAreLeftOut) {
  Throughput found;
  EXPECT_TRUE(throughput_plots(found).empty());
  found.measurements = {measured("scaling/threads/1", 8), measured("scaling/threads/2", 4)};
  const auto plots = throughput_plots(found);
  ASSERT_EQ(plots.size(), 1U);
  EXPECT_EQ(plots[0].stem, "threads");
}

/// A benchmark's results in which every name is this text.
Throughput throughput(const std::string& text) {
  const auto measured = [](const std::string& name) { return Measurement{.name = name, .nanoseconds = {2, 1, 3, 5}, .counters = {}}; };
  Throughput found;
  found.cpu = found.command = text;
  found.ratios.target = text;
  found.ratios.breakdowns = {{.of = text, .nanoseconds = {{text, 1.0}, {"draws", 2.0}}}};
  found.ratios.leaps = {{.of = text, .nanoseconds = {{"index", 1.0}, {"draw", 2.0}}, .rounds_per_look = 40}};
  for (const std::string& name :
       {"index/" + text + "/" + text, "floor/d-ucb/" + text, "engine/d-ucb/" + text, "exposure/buffer/" + text + "/m10/K3",
        "exposure/recursion/" + text + "/m10/K3", "exposure/buffer/" + text + "/m100/K3", "exposure/recursion/" + text + "/m100/K3",
        std::string("exposure/buffer/scalar/m10/K3"), "engine/d-klucb/censored/" + text + "/K3", "engine/d-ucb/censored/" + text + "/K3",
        std::string("scaling/horizon/1000"), std::string("scaling/replicas/1000"), std::string("scaling/threads/1")}) {
    found.measurements.push_back(measured(name));
  }
  return found;
}

TEST(Plots, NoNameOfABenchmarkIsACommand) {
  for (const std::string& text : test::hostile_texts()) {
    const std::vector<Plot> plots = throughput_plots(throughput(text));
    EXPECT_EQ(plots.size(), 6U) << text;
    for (const Plot& plot : plots) {
      EXPECT_EQ(test::gnuplot_commands(plot.drawing.script).find("PLANTED"), std::string::npos) << plot.stem << ": " << text;
    }
  }
}

/// gnuplot itself has the last word on what a command is.
TEST(Plots, OfHostileNamesAreDrawnAndRunNothing) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  const test::Scratch scratch;
  for (const Plot& plot : throughput_plots(throughput("`touch PLANTED`"))) {
    const auto failure = report::draw(plot.drawing, scratch.path(), plot.stem);
    EXPECT_FALSE(failure) << *failure;
    EXPECT_FALSE(std::filesystem::exists(scratch.path() / "PLANTED")) << plot.stem;
  }
}

}  // namespace
}  // namespace dbandit::bench
