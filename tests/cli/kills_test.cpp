#include "cli/kills.hpp"

namespace dbandit::test {
namespace {

TEST(Kills, OfASweepLoseNothing) { kill_study(small_sweep(), 5, 1); }
TEST(Kills, OfAReproductionLoseNothing) { kill_study(small_reproduce(), 3, 2); }
TEST(Kills, OfClaimsLoseNothing) { kill_study(small_claims(), 3, 3); }
TEST(Kills, OfALeagueLoseNothingThatWasStored) { kill_study({quick_league().words, 1500, 2500}, 2, 4, false); }

#ifdef DBANDIT_MPIRUN
Words ranks_sweep() {
  Words words = small_sweep().words + Words{"--threads", "1"};
  *(std::find(words.begin(), words.end(), "--replicas") + 1) = "40000";
  return words;
}
TEST(Kills, OfEachRankLoseNothing) { kill_ranks(ranks_sweep(), 3, 5); }
#endif

}  // namespace
}  // namespace dbandit::test
