#include "cli/readme.hpp"

namespace dbandit::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Of, Pages, ::testing::ValuesIn(all_pages()), kPageName);

TEST_P(Pages, EverySlowCommandRunsAndPrintsWhatItShows) {
#ifndef DBANDIT_MPIRUN
  if (GetParam() == "docs/cluster.md") GTEST_SKIP() << "there is no mpirun";
#endif
  expect_page(true, GetParam());
}

}  // namespace
}  // namespace dbandit::test
