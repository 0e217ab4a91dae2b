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

}  // namespace
}  // namespace dbandit::test
