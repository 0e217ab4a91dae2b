#include "report/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace dbandit::report {
namespace {

/// Two policies of that many replicas, a conversion apart.
StoredResult result(
    double replicas, const std::function<void(sim::Settings&)>& change = [](sim::Settings&) {}) {
  sim::Settings settings;
  settings.theta = {0.1, 0.05};
  settings.delay = model::Geometric{50};
  settings.censor = 200;
  settings.horizon = 10'000;
  settings.policies = {"d-klucb", "d-ts"};
  change(settings);
  StoredResult stored{.folder = {}, .spec = sim::Spec(settings), .policies = {}, .manifest = {}};
  for (const double mean : {20.0, 21.0}) {
    stats::Moments regret;
    regret.count = replicas, regret.mean = mean, regret.variance = 25;
    stored.policies.push_back({settings.policies[stored.policies.size()].id, regret});
  }
  return stored;
}

Finding finding(const StoredResult& stored, const std::string& what) {
  const std::vector<Finding> all = diagnosis(stored);
  const auto found = std::ranges::find(all, what, &Finding::what);
  EXPECT_NE(found, all.end()) << what;
  return found == all.end() ? Finding{} : *found;
}

TEST(Diagnosis, FindsNothingWrongWithAGoodResult) {
  for (const Finding& one : diagnosis(result(10'000))) EXPECT_EQ(one.fix, "") << one.what << ": " << one.found;
}

TEST(Diagnosis, NamesPoliciesThatTheIntervalsDoNotSeparate) {
  EXPECT_EQ(finding(result(100), "order").found, "not separated by their intervals: d-klucb and d-ts");
  EXPECT_EQ(finding(result(1000), "order").fix, "");
}

/// 0.99^367 is just above 0.025, 0.99^368 below.
TEST(Diagnosis, CountsTheReplicasThatAQuantileNeeds) {
  EXPECT_EQ(finding(result(368), "quantiles").fix, "");
  EXPECT_EQ(finding(result(366), "quantiles").found, "366 replicas support quantiles up to p95");
  EXPECT_EQ(finding(result(36), "quantiles").found, "36 replicas support quantiles up to p90");
  EXPECT_EQ(finding(result(35), "quantiles").found, "35 replicas support no quantile beyond the median");
}

TEST(Diagnosis, SeesAWindowThatHidesAHorizonThatIsShortAndTiesThatHelp) {
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.censor = 2; }), "window").fix, "");
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.horizon = 500; }), "horizon").fix, "");
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.ties = model::Ties::lowest; }), "ties").fix, "");
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.start = model::StartOrder::fixed; }), "ties").fix, "");
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.prior_shape = 50; }), "prior").fix, "");
  EXPECT_NE(finding(result(1000, [](sim::Settings& s) { s.assume_delay = model::Delays(model::Geometric{5}); }), "beliefs").found,
            finding(result(1000), "beliefs").found);
}

TEST(Diagnosis, AsksForReplicasWhereTheIntervalIsWideOrNotOne) {
  EXPECT_NE(finding(result(20), "intervals").fix, "");
  EXPECT_EQ(finding(result(1000), "intervals").fix, "");
}

}  // namespace
}  // namespace dbandit::report
