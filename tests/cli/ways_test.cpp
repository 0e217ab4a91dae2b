#include "cli/ways.hpp"

namespace dbandit::test {
namespace {

TEST(Ways, OfDoingFiftyRandomRunsGiveTheSameBytes) {
  const Ways ways = expect_the_same_bytes(50, 2, 10, 1, 14);
  EXPECT_EQ(ways.specs, 50);
  EXPECT_GT(ways.kills, 0);
}

}  // namespace
}  // namespace dbandit::test
