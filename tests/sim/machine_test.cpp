#include "sim/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "dbandit/sim/run.hpp"

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

TEST_F(ControlGroups, OfVersionOneHaveTheirTwoNumbersInTwoFiles) {
  const auto say_both = [&](const fs::path& group, const char* quota) {
    std::ofstream(root / group / "cpu.cfs_quota_us") << quota;
    std::ofstream(root / group / "cpu.cfs_period_us") << "100000\n";
  };
  say_both("", "-1\n");
  say_both("slice", "250000\n");
  say_both("slice/job", "400000\n");
  EXPECT_DOUBLE_EQ(cgroup_quota(root, "slice/job"), 2.5);
  EXPECT_TRUE(std::isinf(cgroup_quota(root, "")));
}

TEST_F(ControlGroups, MaxAndSilenceAreNoQuota) {
  say("slice", "max 100000\n");
  EXPECT_TRUE(std::isinf(cgroup_quota(root, "slice/job")));
}

TEST(Cores, UsableIsWhatAffinityAndQuotaLeaveAndNeverNone) {
  EXPECT_EQ((Cores{.present = 8, .allowed = 4}.usable()), 4);
  EXPECT_EQ((Cores{.present = 8, .allowed = 4, .quota = 2.5}.usable()), 3) << "a quota is rounded up";
  EXPECT_EQ((Cores{.present = 8, .allowed = 4, .quota = 0.1}.usable()), 1);
}

TEST(Threads, AreAsManyAsTheAffinityAllowsUnlessSaidOtherwise) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
  }
  EXPECT_EQ(thread_count({}), cores().usable());
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(thread_count({}), 1);
  EXPECT_EQ(thread_count({.threads = 3}), 3);
  EXPECT_EQ(thread_count({.threads = 3, .executor = Executor::serial}), 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

TEST(Cores, OfThisMachineHangTogether) {
  const Cores here = cores();
  EXPECT_GE(here.usable(), 1);
  EXPECT_LE(here.usable(), here.allowed);
}

}  // namespace
}  // namespace dbandit::sim
