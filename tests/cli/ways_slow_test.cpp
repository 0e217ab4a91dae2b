#include "cli/ways.hpp"

namespace dbandit::test {
namespace {

TEST(Ways, AllOfDoingFiftyRandomRunsGiveTheSameBytes) {
  const Ways ways = expect_the_same_bytes(50, static_cast<int>(kThreads.size() * targets_here().size()), 1, 4, 15);
  EXPECT_EQ(ways.specs, 50);
  EXPECT_GT(ways.kills, 50);
}

}  // namespace
}  // namespace dbandit::test
