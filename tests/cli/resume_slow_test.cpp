#include <gtest/gtest.h>

#include <cstdio>

#include "cli/kept.hpp"

namespace dbandit::test {
namespace {

TEST(Resume, SurvivesAThousandKills) {
  unsigned seed = 10;
  for (int i = 0; i < 10; ++i) {
    kill_and_resume(run_of("d-klucb,ud-ucb,uniform", 128 * 300 + 17), 40, seed++);
    kill_and_resume(run_of("d-ucb", 128 * 60, "reference"), 30, seed++);
    kill_and_resume(run_of("agnostic-klucb,d-ucb", 128 * 150 + 1) + Words{"--threads", "1"}, 30, seed++);
  }
  std::printf("survived: 1000 kills\n");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Storage, EveryCallThatFailsInAnyWayLeavesAStateFromWhichTheSameBytesFollow) {
  std::vector<Failing> ways;
  for (const int error : {ENOSPC, EIO, EINTR, 0}) {
    for (const char* from_then_on : {"0", "1"}) ways.push_back({error, from_then_on});
  }
  const Failures all = fail_every_call(ways);
  EXPECT_GT(all.refused, 50);
  std::printf("survived: %d failing system calls, %d of them refused with exit 4\n", all.calls, all.refused);
}
#endif

}  // namespace
}  // namespace dbandit::test
