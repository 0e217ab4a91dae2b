#include <gtest/gtest.h>

#include "cli/kept.hpp"

namespace dbandit::test {
namespace {

TEST(Memory, OfTenMillionReplicasIsThatOfTenThousand) {
  const auto peak = [](const std::string& replicas) {
    const Outcome outcome = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:2", "--censor", "3", "--horizon", "20",
                                     "--policies", "d-klucb,uniform", "--replicas", replicas, "--threads", "2", "--csv", "--quiet"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome.peak_kilobytes;
  };
  const long few = peak("10000"), many = peak("10000000");
  EXPECT_LE(many, few + few / 20 + 1024) << few << " KB";
}

}  // namespace
}  // namespace dbandit::test
