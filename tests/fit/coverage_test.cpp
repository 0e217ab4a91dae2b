#include "coverage.hpp"

namespace dbandit {
namespace {

/// 80 logs: the standard error of a share of 95 % is 2.4 %; four of them below are a false alarm in 30 000. 2000 logs are a slow test.
TEST(Coverage, IntervalsOfSimulatedLogsHoldTheTruth) {
  for (const test::Case& one : test::cases()) {
    const auto found =
        test::coverage(test::world({0.3, 0.15}, one.law, one.window, one.horizon, 80), test::family(one.family), one.parameters);
    for (std::size_t i = 0; i < found.share.size(); ++i) {
      EXPECT_GE(found.share[i], 0.95 - 4 * 0.0244) << one.family << ", " << found.names[i];
    }
  }
}

}  // namespace
}  // namespace dbandit
