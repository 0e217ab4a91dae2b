#include <gtest/gtest.h>

#include "cli/kept.hpp"

namespace dbandit::test {
namespace {

long peak_kilobytes(const std::string& replicas) {
  const Outcome outcome = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:2", "--censor", "3", "--horizon", "4", "--policies",
                                   "d-ucb", "--at", "4", "--replicas", replicas, "--threads", "2", "--csv", "--quiet"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  return outcome.peak_kilobytes;
}

TEST(Memory, OfTwoMillionReplicasIsThatOfTenThousand) {
  const long few = peak_kilobytes("10000"), many = peak_kilobytes("2000000");
  EXPECT_LE(many, few + few / 20 + 1024) << few << " KB";
}

}  // namespace
}  // namespace dbandit::test
