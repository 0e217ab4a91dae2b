#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "kernel/leap/leaps.hpp"
#include "sim/checkpoint.hpp"

/// A folder per case: spec.toml, and for an engine that plays it the curve that it gave when it was last looked at, curve.ENGINE.csv. All
/// engines choose the same arms; they sum Ñ in different orders, so that last digits differ. simd chooses between rounds and leap. The
/// table `accepted` has the hash of each curve and the version of the results that it was accepted for.
///
/// After a change that is meant to move curves: raise kResultsVersion, DBANDIT_REWRITE_GOLDEN=1 test_cli --gtest_filter='*Golden*', read
/// the diff. A new case starts as a spec.toml beside empty curve files.
namespace dbandit::test {
namespace {

const std::filesystem::path kCases = DBANDIT_SOURCE "/tests/golden";
const bool kRewrite = std::getenv("DBANDIT_REWRITE_GOLDEN") != nullptr;

struct Case {
  std::filesystem::path curve;
  std::string engine;
  [[nodiscard]] std::filesystem::path spec() const { return curve.parent_path() / "spec.toml"; }
  [[nodiscard]] std::string name() const { return curve.parent_path().filename().string() + "_" + engine; }
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name(); }

sim::Spec spec_of(const Case& one) { return sim::Spec(sim::read_spec_file(one.spec())); }

std::vector<Case> cases() {
  std::vector<Case> found;
  for (const auto& folder : std::filesystem::directory_iterator(kCases)) {
    for (const char* engine : {"simd", "rounds", "leap", "reference"}) {
      const Case one{folder.path() / ("curve." + std::string(engine) + ".csv"), engine};
      if (std::filesystem::exists(one.curve)) found.push_back(one);
    }
  }
  std::ranges::sort(found, {}, &Case::curve);
  return found;
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, CurveIsWhatItWas) {
  const Outcome outcome = dbandit({"run", GetParam().spec(), "--engine", GetParam().engine, "--csv"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  if (kRewrite) write_file(GetParam().curve, outcome.out);
  EXPECT_EQ(outcome.out, read_file(GetParam().curve));
}

/// FNV-1a.
std::string hash(const std::string& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return std::to_string(sum);
}

struct Accepted {
  std::string hash, version;
};

TEST_P(Golden, CurveChangesOnlyTogetherWithTheVersionOfTheResults) {
  const std::filesystem::path table = kCases / "accepted";
  std::map<std::string, Accepted> accepted;
  std::ifstream file(table);
  for (std::string curve, hash, version; file >> curve >> hash >> version;) accepted[curve] = {hash, version};
  const std::string curve = std::filesystem::relative(GetParam().curve, kCases), found = hash(read_file(GetParam().curve));
  Accepted& known = accepted[curve];
  if (known.hash == found) return;
  ASSERT_NE(known.version, sim::kResultsVersion)
      << curve << " was accepted for results of this version and is another now: raise kResultsVersion (src/sim/checkpoint.hpp)";
  ASSERT_TRUE(kRewrite) << curve << " is not the one that was accepted: DBANDIT_REWRITE_GOLDEN=1 writes it to " << table;
  known = {found, std::string(sim::kResultsVersion)};
  std::ofstream out(table);
  for (const auto& [name, entry] : accepted) out << name << ' ' << entry.hash << ' ' << entry.version << '\n';
}

INSTANTIATE_TEST_SUITE_P(CommandLine, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name(); });

/// The cases guard the engines only as far as they reach.
TEST(GoldenCases, PlayEveryPolicyAndEveryDelayLawOnTheDefaultEngine) {
  std::string played;
  for (const Case& one : cases()) {
    if (one.engine == "simd") played += read_file(one.spec());
  }
  for (const policy::Entry& entry : policy::catalogue()) {
    EXPECT_NE(played.find('"' + std::string(entry.id) + '"'), std::string::npos) << entry.id;
  }
  for (const char* law :
       {"geometric", "mixture", "uniform", "constant", "negbin", "weibull", "lognormal", "pareto", "empirical", "criteo"}) {
    EXPECT_NE(played.find("delay = \"" + std::string(law) + ':'), std::string::npos) << law;
  }
}

TEST(GoldenCases, PlayEveryPolicyThatLeapsByLeapsAndOneThatLeapsByItself) {
  std::set<std::string, std::less<>> leaping;
  bool by_itself = false;
  for (const Case& one : cases()) {
    if (one.engine == "reference") continue;  // whose settings the others may refuse
    const sim::Spec spec = spec_of(one);
    for (const sim::Policy& policy : spec->policies) {
      if (one.engine == "leap") leaping.insert(policy.id);
      by_itself = by_itself || (one.engine == "simd" && sim::experiment(spec, policy).leap_after);
    }
  }
  EXPECT_TRUE(by_itself);
  for (const policy::Entry& entry : policy::catalogue()) {
    const bool can = kernel::can_leap({.statistic = entry.statistic, .index = entry.index});
    EXPECT_TRUE(!can || leaping.contains(entry.id)) << entry.id;
  }
}

}  // namespace
}  // namespace dbandit::test
