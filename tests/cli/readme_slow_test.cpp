#include "cli/readme.hpp"

namespace dbandit::test {
namespace {

TEST(Readme, EverySlowCommandRunsAndPrintsWhatItShows) { expect_page(true, "README.md"); }

#ifdef DBANDIT_MPIRUN
TEST(Docs, EveryCommandOfTheClusterPageRunsAndPrintsWhatItShows) { expect_page(true, "docs/cluster.md"); }
#endif

}  // namespace
}  // namespace dbandit::test
