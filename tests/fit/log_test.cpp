#include "fit/log.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "dbandit/core/error.hpp"
#include "samples.hpp"

namespace dbandit {
namespace {

namespace fs = std::filesystem;

/// A file of this text, gone with the test.
class Written {
 public:
  explicit Written(std::string_view text) : path_(fs::temp_directory_path() / ("dbandit_log_" + std::to_string(::getpid()) + ".csv")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Written() { fs::remove(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fit::Log read(std::string_view text, const fit::LogOptions& options = {}) { return fit::read_log(Written(text).path(), options); }

/// The message without the name of the file.
std::string refusal(std::string_view text, const fit::LogOptions& options = {}) {
  try {
    static_cast<void>(read(text, options));
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string line = error.what();
    return line.substr(line.find("': ") == std::string::npos ? 0 : line.find("': ") + 3);
  }
  return "";
}

using Cells = std::vector<fit::Count>;

TEST(Log, CountsDelaysAndWhatIsStillWaiting) {
  const fit::Log log = read("start,conversion\n0,3\n2,\n5,5.5\n9,\n10,\n", {.round = 1, .end = {}, .window = {}, .columns = {}});
  ASSERT_EQ(log.counts.size(), 1U);
  EXPECT_EQ(log.end, 10);
  EXPECT_EQ(log.counts[0].delays, (Cells{{0, 1}, {3, 1}}));
  EXPECT_EQ(log.counts[0].waiting, (Cells{{1, 1}, {8, 1}}));
  EXPECT_EQ(log.counts[0].observed, (Cells{{1, 1}, {5, 1}, {8, 1}, {10, 1}}));
  EXPECT_EQ(log.rows, 5);
  EXPECT_EQ(log.conversions, 2);
  EXPECT_EQ(log.too_young, 1);
  EXPECT_EQ(log.longest, 10);
}

TEST(Log, ColumnsMayStandInAnyOrderAmongOthersUnderOtherNames) {
  const fit::LogOptions options{.round = 1, .end = {}, .window = {}, .columns = {{"start", "clicked"}, {"conversion", "sold"}}};
  const fit::Log log = read("price,sold,arm,clicked,end\n9.5,3,b,0,10\n1,,a,1,10\n", options);
  ASSERT_EQ(log.counts.size(), 2U);
  EXPECT_EQ(log.counts[0].arm, "a");
  EXPECT_EQ(log.counts[0].waiting, (Cells{{9, 1}}));
  EXPECT_EQ(log.counts[1].delays, (Cells{{3, 1}}));
  EXPECT_FALSE(log.end);
}

TEST(Log, SpellingsOfTheSameLogAreTheSame) {
  const fit::LogOptions options{.round = 1, .end = {}, .window = {}, .columns = {}};
  const fit::Log plain = read("start,conversion,arm,end\n0,3,x,9\n1,,y,9\n", options);
  for (const char* other :
       {"\xEF\xBB\xBFstart,conversion,arm,end\r\n0,3,x,9\r\n1,,y,9\r\n", "start\tconversion\tarm\tend\n0\t3\tx\t9\n1\t\ty\t9",
        "start;conversion;arm;end\n0;3;x;9\n\n1;;y;9\n\n", "\"start\",\"conversion\",\"arm\",\"end\"\n\"0\",3,\"x\",9\n1,\"\",\"y\",9\n",
        "start , conversion, arm,end\n 0, 3 ,x,9.0\n1.0, ,y,9e0\n"}) {
    const fit::Log log = read(other, options);
    ASSERT_EQ(log.counts.size(), 2U) << other;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(log.counts[k].arm, plain.counts[k].arm) << other;
      EXPECT_EQ(log.counts[k].delays, plain.counts[k].delays) << other;
      EXPECT_EQ(log.counts[k].waiting, plain.counts[k].waiting) << other;
    }
  }
}

TEST(Log, ArmsAreInTheOrderOfTheirNumbers) {
  const fit::Log log = read("start,conversion,arm,end\n0,1,10,9\n0,1,9,9\n0,1,b,9\n0,,2,9\n");
  std::vector<std::string> names;
  for (const auto& arm : log.counts) names.push_back(arm.arm);
  EXPECT_EQ(names, (std::vector<std::string>{"2", "9", "10", "b"}));
}

/// The round that the end cuts off is not looked at, whether it has shown a conversion or not.
TEST(Log, OnlyWholeRoundsCount) {
  const fit::LogOptions options{.round = 10, .end = {}, .window = {}, .columns = {}};
  const fit::Log log = read("start,conversion,end\n0,35,39\n0,,39\n0,29.9,39\n0,,5\n", options);
  EXPECT_EQ(log.counts[0].delays, (Cells{{2, 1}}));
  EXPECT_EQ(log.counts[0].waiting, (Cells{{3, 2}}));
  EXPECT_EQ(log.not_counted, 1);
  EXPECT_EQ(log.too_young, 1);
}

TEST(Log, LongObservationsAreCutToTwelveBits) {
  const fit::Log log = read("start,conversion,end\n0,,4095\n0,,4097\n0,4096,4097\n0,4095,4097\n0,,1000000\n",
                            {.round = 1, .end = {}, .window = {}, .columns = {}});
  EXPECT_EQ(log.counts[0].waiting, (Cells{{4095, 1}, {4096, 2}, {999'936, 1}}));
  EXPECT_EQ(log.counts[0].delays, (Cells{{4095, 1}}));
  EXPECT_EQ(log.not_counted, 1);
}

TEST(Log, DecimalTimesAreNotRoundedDown) {
  std::string text = "start,conversion,end\n";
  for (int i = 0; i < 1000; ++i) {
    const double start = 1.7e9 + 0.1 * i;
    char row[100];
    std::snprintf(row, sizeof row, "%.1f,%.1f,%.1f\n", start, start + 0.3, start + 1);
    text += row;
  }
  const fit::Log log = read(text, {.round = 0.1, .end = {}, .window = {}, .columns = {}});
  EXPECT_EQ(log.counts[0].delays, (Cells{{3, 1000}}));
  EXPECT_EQ(log.counts[0].observed, (Cells{{10, 1000}}));
}

TEST(Log, AWindowEndsEveryObservation) {
  const fit::Log log = read("start,conversion\n0,3\n0,8\n0,\n18,\n20,\n", {.round = 1, .end = {}, .window = 5, .columns = {}});
  EXPECT_EQ(log.window, 5);
  EXPECT_EQ(log.counts[0].delays, (Cells{{3, 1}}));
  EXPECT_EQ(log.counts[0].waiting, (Cells{{2, 1}, {5, 2}}));
  EXPECT_EQ(log.not_counted, 1);
}

TEST(Log, MayEndEarlierThanItsRows) {
  const fit::Log log = read("start,conversion\n0,3\n0,8\n4,\n7,\n", {.round = 1, .end = 5, .window = {}, .columns = {}});
  EXPECT_EQ(log.counts[0].delays, (Cells{{3, 1}}));
  EXPECT_EQ(log.counts[0].waiting, (Cells{{1, 1}, {5, 1}}));
  EXPECT_EQ(log.too_young, 1);
}

TEST(Log, ARoundIsChosenFromTheLongestObservation) {
  const auto round = [](const std::string& end, const char* start = "0") {
    return read(std::string("start,conversion,end\n0,0,") + end + "\n" + start + ",," + end + "\n").round;
  };
  EXPECT_EQ(round("100"), 1);
  EXPECT_EQ(round("100000"), 1);
  EXPECT_EQ(round("2592000000"), 500'000);
  EXPECT_EQ(round("30"), 1) << "all times are whole numbers";
  EXPECT_NEAR(round("30", "0.5"), 0.005, 1e-12);
}

TEST(Log, ABadRowIsNamedByItsLineAndReason) {
  const std::string good = "start,conversion,arm,end\n0,3,x,9\n";
  EXPECT_EQ(refusal(good + "1,2,y\n"), "line 3: 3 cells where the header has 4; nothing was read");
  EXPECT_EQ(refusal(good + "1,2,y,9,\n"), "line 3: 5 cells where the header has 4; nothing was read");
  EXPECT_EQ(refusal(good + "\n,2,y,9\n"), "line 4: start: '' is not a number; nothing was read");
  EXPECT_EQ(refusal(good + "1,never,y,9\n"),
            "line 3: conversion: 'never' is not a number; leave it empty where there was none; nothing was read");
  EXPECT_EQ(refusal(good + "nan,2,y,9\n"), "line 3: start: 'nan' is not a number; nothing was read");
  EXPECT_EQ(refusal(good + "1,2,y,inf\n"), "line 3: end: 'inf' is not a number; nothing was read");
  EXPECT_EQ(refusal(good + "5,2,y,9\n"), "line 3: the conversion, at 2, is before the start, at 5; nothing was read");
  EXPECT_EQ(refusal(good + "5,,y,4\n"), "line 3: the end, at 4, is before the start, at 5; nothing was read");
  EXPECT_EQ(refusal(good + "5,8,y,7\n"), "line 3: the conversion, at 8, is after the end, at 7; nothing was read");
  EXPECT_EQ(refusal(good + "5,,,7\n"), "line 3: arm: is empty; nothing was read");
  EXPECT_EQ(refusal(good + "x,,y,7\nx,,y,7\nx,,y,7\n"), "line 3: start: 'x' is not a number (2 more bad rows); nothing was read");
  EXPECT_EQ(refusal(good + std::string(70'000, '1') + "\n"), "line 3: is longer than 65536 bytes; nothing was read");
}

TEST(Log, WhatCannotBeALogIsRefused) {
  EXPECT_EQ(refusal(""), "is empty");
  EXPECT_EQ(refusal("start,conversion\n"), "has no rows below its header");
  EXPECT_EQ(refusal("strat,conversion\n1,2\n"),
            "line 1: no column is called 'start'; did you mean 'strat'?; --columns start=NAME says which one it is");
  EXPECT_EQ(refusal("start,start,conversion\n1,2,3\n"), "line 1: two columns are called 'start'");
  EXPECT_NE(refusal("start,conversion\n1,\n2,\n").find("there is nothing to fit"), std::string::npos);
  EXPECT_NE(refusal("start,conversion,end\n0,1,9000000\n", {.round = 1, .end = {}, .window = {}, .columns = {}}).find("give a longer one"),
            std::string::npos);
  EXPECT_NE(refusal("start,conversion,end\n0,1,9\n", {.round = 1, .end = {}, .window = 0.5, .columns = {}}).find("shorter than a round"),
            std::string::npos);
  std::string many = "start,conversion,arm,end\n";
  for (int i = 0; i < 3000; ++i) many += "0,1," + std::to_string(i) + ",9\n";
  EXPECT_NE(refusal(many).find("more than 1000 different arms"), std::string::npos);
  EXPECT_THROW(static_cast<void>(fit::read_log("/nonexistent/log.csv", {})), UserError);
  EXPECT_THROW(static_cast<void>(fit::read_log("/tmp", {})), UserError);
}

/// Lines of many lengths over several blocks of the reader: the counts are those of a loop over the rows, whatever the threads, and the
/// line of a bad row is right wherever it stands.
TEST(Log, BlocksAndThreadsChangeNothing) {
  std::mt19937_64 random(3);
  std::vector<test::Observation> clicks;
  std::string text = "note,start,conversion,arm,end\n";
  std::vector<std::size_t> line_ends;
  const std::size_t boundary = text.size() + (std::size_t{1} << 22);  // a line ends with the first block, the next begins with the second
  bool at_boundary = false;
  for (int i = 0; i < 150'000; ++i) {
    test::Observation one{random() % 3, 1 + static_cast<std::int64_t>(random() % 500), -1};
    if (random() % 4 == 0) one.delay = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(one.rounds));
    const std::int64_t start = static_cast<std::int64_t>(random() % 1'000'000);
    clicks.push_back(one);
    const std::string row = ',' + std::to_string(start) + ',' + (one.delay >= 0 ? std::to_string(start + one.delay) : "") + ',' +
                            std::to_string(one.arm) + ',' + std::to_string(start + one.rounds) + '\n';
    const std::size_t left = boundary - std::min(boundary, text.size() + row.size());
    text += std::string(left < 300 && text.size() < boundary ? left : random() % 150, 'x') + row;
    at_boundary = at_boundary || text.size() == boundary;
    line_ends.push_back(text.size());
  }
  ASSERT_TRUE(at_boundary);
  ASSERT_GT(text.size(), std::size_t{3} << 22) << "three blocks and more";
  const fit::Counts expected = test::counted(clicks, 3);
  for (const std::size_t threads : {1, 3}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const fit::Log log = read(text, {.round = 1, .end = {}, .window = {}, .columns = {}});
    ASSERT_EQ(log.counts.size(), expected.size());
    EXPECT_EQ(log.rows, 150'000);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(log.counts[k].delays, expected[k].delays);
      EXPECT_EQ(log.counts[k].waiting, expected[k].waiting);
      EXPECT_EQ(log.counts[k].observed, expected[k].observed);
    }
  }
  for (const std::size_t row : {0UL, 70'000UL, 149'998UL}) {
    std::string bad = text;
    bad.insert(line_ends[row], "oops\n");
    EXPECT_EQ(refusal(bad), "line " + std::to_string(row + 3) + ": 1 cell where the header has 5; nothing was read");
  }
}

}  // namespace
}  // namespace dbandit
