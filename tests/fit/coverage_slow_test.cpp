#include <cstdio>

#include "coverage.hpp"

namespace dbandit {
namespace {

/// 2000 simulated logs: the standard error of a share of 95 % is 0.49 %, so that 1.5 % is three of them.
TEST(Coverage, IntervalsOf2000SimulatedLogsHoldTheTruthIn95PercentOfThem) {
  for (const test::Case& one : test::cases()) {
    const auto found =
        test::coverage(test::world({0.3, 0.15}, one.law, one.window, one.horizon, 2000), test::family(one.family), one.parameters);
    for (std::size_t i = 0; i < found.share.size(); ++i) {
      std::printf("%s, %s: %.2f %%\n", one.family.c_str(), found.names[i].c_str(), 100 * found.share[i]);
      EXPECT_NEAR(found.share[i], 0.95, 0.015) << one.family << ", " << found.names[i];
    }
  }
}

}  // namespace
}  // namespace dbandit
