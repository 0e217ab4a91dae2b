#include "dbandit/sim/machine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace dbandit::sim {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("dbandit-cgroup-" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(root / "slice" / "job"); }
  void TearDown() override { fs::remove_all(root); }
  void say(const fs::path& group, const char* text) const { std::ofstream(root / group / "cpu.max") << text; }
};

TEST_F(ControlGroups, TheTightestQuotaOnTheWayUpHolds) {
  say("slice", "150000 100000\n");
  say("slice/job", "800000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_quota(root, "slice/job"), 1.5);
}

TEST_F(ControlGroups, MaxAndSilenceAreNoQuota) {
  say("slice", "max 100000\n");
  EXPECT_TRUE(std::isinf(cgroup_quota(root, "slice/job")));
}

TEST(Cores, UsableIsWhatAffinityAndQuotaLeaveAndNeverNone) {
  EXPECT_EQ((Cores{.present = 8, .allowed = 4}.usable()), 4);
  EXPECT_EQ((Cores{.present = 8, .allowed = 4, .quota = 2.5}.usable()), 2);
  EXPECT_EQ((Cores{.present = 8, .allowed = 4, .quota = 0.1}.usable()), 1);
}

TEST(Cores, OfThisMachineHangTogether) {
  const Cores here = cores();
  EXPECT_GE(here.usable(), 1);
  EXPECT_LE(here.usable(), here.allowed);
}

}  // namespace
}  // namespace dbandit::sim
