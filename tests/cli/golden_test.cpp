#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// A folder per case: spec.toml, and the curve.csv that the reference engine gave when it was last looked at. To accept new
/// curves after a change that is meant to move them: DBANDIT_REWRITE_GOLDEN=1 test_cli --gtest_filter='*Golden*', then read the diff.
namespace dbandit::test {
namespace {

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(DBANDIT_SOURCE "/tests/golden")) {
    if (folder.is_directory()) names.push_back(folder.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, CurveIsWhatItWas) {
  const std::filesystem::path folder = std::filesystem::path(DBANDIT_SOURCE "/tests/golden") / GetParam();
  const Outcome outcome = dbandit({"run", folder / "spec.toml", "--csv"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  if (std::getenv("DBANDIT_REWRITE_GOLDEN") != nullptr) write_file(folder / "curve.csv", outcome.out);
  EXPECT_EQ(outcome.out, read_file(folder / "curve.csv"));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dbandit::test
