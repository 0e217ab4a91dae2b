#include "cli/kills.hpp"

namespace dbandit::test {
namespace {

// Two hundred together.
TEST(Kills, SixtyOfASweepLoseNothing) { kill_study(small_sweep(), 60, 11); }
TEST(Kills, FiftyOfAReproductionLoseNothing) { kill_study(small_reproduce(), 50, 12); }
TEST(Kills, SixtyOfClaimsLoseNothing) { kill_study(small_claims(), 60, 13); }
TEST(Kills, ThirtyOfALeagueLoseNothing) { kill_study(quick_league(), 30, 14); }

#ifdef DBANDIT_MPIRUN
TEST(Kills, SixtyOfRanksLoseNothing) {
  Words words = small_sweep().words + Words{"--threads", "1"};
  *(std::find(words.begin(), words.end(), "--replicas") + 1) = "200000";
  kill_ranks(words, 60, 15);
}
#endif

}  // namespace
}  // namespace dbandit::test
