#include <gtest/gtest.h>

#include <string>

#include "report/advice.hpp"

namespace dbandit::report {
namespace {

std::string line(int threads, const sim::Cores& cores) {
  const auto lines = thread_advice(threads, cores);
  return lines.empty() ? "" : lines.front();
}

TEST(ThreadAdvice, IsSilentAsLongAsAllThreadsCanRunAtOnce) {
  EXPECT_EQ(line(2, {.present = 2, .allowed = 2}), "");
  EXPECT_EQ(line(1, {.present = 8, .allowed = 1}), "");
  EXPECT_EQ(line(2, {.present = 8, .allowed = 8, .quota = 1.5}), "") << "the default of this machine";
  EXPECT_EQ(line(1, {.present = 2, .allowed = 1, .ranks = 2, .together = 2}), "") << "each rank bound to a core of its own";
  EXPECT_EQ(line(2, {.present = 8, .allowed = 8, .ranks = 4, .together = 8}), "");
}

TEST(ThreadAdvice, EndsWithTheFlagThatHelps) {
  EXPECT_EQ(line(3, {.present = 8, .allowed = 2}), "3 threads, but the process may use 2 cores: they take turns; --threads 2");
  EXPECT_EQ(line(8, {.present = 8, .allowed = 8, .quota = 2.5}),
            "8 threads, but the control group has a quota of 2.50 cores: they take turns; --threads 3");
}

TEST(ThreadAdvice, UnderMpirunIsNeverTheFlagThatWasGiven) {
  EXPECT_EQ(line(4, {.present = 8, .allowed = 8, .ranks = 3, .together = 8}),
            "3 ranks of 4 threads each on this machine, but they may use 8 cores, 8 each: they take turns; --threads 2");
  EXPECT_EQ(line(2, {.present = 8, .allowed = 1, .ranks = 3, .together = 3}),
            "3 ranks of 2 threads each on this machine, but they may use 3 cores, 1 each: they take turns; --threads 1");
  EXPECT_EQ(line(1, {.present = 2, .allowed = 2, .ranks = 3, .together = 2}),
            "3 ranks of 1 thread each on this machine, but they may use 2 cores, 2 each: they take turns; start 2 ranks here");
  EXPECT_EQ(
      line(2, {.present = 2, .allowed = 2, .ranks = 3, .together = 2}),
      "3 ranks of 2 threads each on this machine, but they may use 2 cores, 2 each: they take turns; start 2 ranks here, with --threads 1");
  for (int ranks = 2; ranks < 9; ++ranks) {
    for (int allowed = 1; allowed < 9; ++allowed) {
      for (int threads = 1; threads < 9; ++threads) {
        const std::string advice = line(threads, {.present = 8, .allowed = allowed, .ranks = ranks, .together = 8});
        EXPECT_FALSE(advice.ends_with("--threads " + std::to_string(threads))) << advice;
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::report
