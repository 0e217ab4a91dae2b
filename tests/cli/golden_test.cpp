#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/policy/catalogue.hpp"

/// A folder per case: spec.toml, and for an engine that plays it the curve that this engine gave when it was last looked at,
/// curve.simd.csv or curve.reference.csv (the engines sum Ñ in different orders, so their last digits differ). To accept new
/// curves after a change that is meant to move them: DBANDIT_REWRITE_GOLDEN=1 test_cli --gtest_filter='*Golden*', then read the
/// diff. A new case starts as a spec.toml beside empty curve files.
namespace dbandit::test {
namespace {

struct Case {
  std::filesystem::path folder;
  std::string engine;
  [[nodiscard]] std::filesystem::path curve() const { return folder / ("curve." + engine + ".csv"); }
};

std::vector<Case> cases() {
  std::vector<Case> found;
  for (const auto& folder : std::filesystem::directory_iterator(DBANDIT_SOURCE "/tests/golden")) {
    for (const char* engine : {"simd", "reference"}) {
      if (const Case one{folder.path(), engine}; std::filesystem::exists(one.curve())) found.push_back(one);
    }
  }
  std::sort(found.begin(), found.end(), [](const Case& a, const Case& b) { return a.curve() < b.curve(); });
  return found;
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, CurveIsWhatItWas) {
  const Outcome outcome = dbandit({"run", GetParam().folder / "spec.toml", "--engine", GetParam().engine, "--csv"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  if (std::getenv("DBANDIT_REWRITE_GOLDEN") != nullptr) write_file(GetParam().curve(), outcome.out);
  EXPECT_EQ(outcome.out, read_file(GetParam().curve()));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, Golden, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.folder.filename().string() + "_" + info.param.engine; });

/// The cases guard the default engine only as far as they reach.
TEST(GoldenCases, PlayEveryPolicyAndEveryDelayLawOnTheDefaultEngine) {
  std::string played;
  for (const Case& one : cases()) {
    if (one.engine == "simd") played += read_file(one.folder / "spec.toml");
  }
  for (const policy::Entry& entry : policy::catalogue()) {
    EXPECT_NE(played.find('"' + std::string(entry.id) + '"'), std::string::npos) << entry.id;
  }
  for (const char* law :
       {"geometric", "mixture", "uniform", "constant", "negbin", "weibull", "lognormal", "pareto", "empirical", "criteo"}) {
    EXPECT_NE(played.find("delay = \"" + std::string(law) + ':'), std::string::npos) << law;
  }
}

}  // namespace
}  // namespace dbandit::test
