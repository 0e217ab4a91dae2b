#include "cli/readme.hpp"

namespace dbandit::test {
namespace {

TEST(Readme, EverySlowCommandRunsAndPrintsWhatItShows) { expect_readme(true); }

}  // namespace
}  // namespace dbandit::test
