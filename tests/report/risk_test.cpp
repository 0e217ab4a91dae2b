#include "report/risk.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dbandit/report/directory.hpp"
#include "dbandit/sim/run.hpp"
#include "report/csv.hpp"
#include "report/curves.hpp"
#include "report/page.hpp"
#include "report/read_csv.hpp"
#include "report/table.hpp"

namespace dbandit::report {
namespace {

sim::Result played(std::int64_t replicas) {
  sim::Settings settings;
  settings.theta = {0.3, 0.1};
  settings.delay = model::Geometric{5};
  settings.censor = 20;
  settings.horizon = 200;
  settings.policies = {"d-klucb", "d-ts(prior-shape=2,prior-rate=3)", "ud-klucb"};
  settings.replicas = replicas;
  return sim::run(sim::Spec(settings), {});
}

TEST(RiskReport, StandsInTheTableAndInJson) {
  const sim::Result result = played(400);
  const std::string table = result_table(result, {});
  EXPECT_NE(table.find("p99 regret"), std::string::npos);
  EXPECT_EQ(table.find("warning"), std::string::npos);
  const Json json = risk_json(result);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json.at(1).at("policy").text(), "d-ts(prior-shape=2,prior-rate=3)");
  const std::vector<stats::Risk> all = risks(result);
  EXPECT_EQ(json.at(0).at("p99").at("value").number(), all[0].p99.value);
  EXPECT_LE(all[0].p95.value, all[0].p99.value);
  EXPECT_LE(all[0].p95.value, all[0].shortfall.value);
  EXPECT_NE(all[0].bar, all[2].bar) << "each by uniform play in its own setting";
}

TEST(RiskReport, WarnsWhereTheReplicasCannotSupportAQuantile) {
  const sim::Result few = played(100);
  EXPECT_NE(risk_table(few, {}).find("warning: 100 replicas cannot bound p99 from above (?); that takes 368, p95 takes 72"),
            std::string::npos);
  EXPECT_TRUE(risk_json(few).at(0).at("p99").at("ci95").at(1).is_null());
}

TEST(RiskReport, NamesWithCommasAreOneCell) {
  EXPECT_EQ(csv_cell("a"), "a");
  EXPECT_EQ(csv_cell("a(b=1,c=2)"), "\"a(b=1,c=2)\"");
  EXPECT_EQ(split_cells("\"a(b=1,c=2)\",3,\"x\""), (Cells{"a(b=1,c=2)", "3", "x"}));
  EXPECT_EQ(split_cells("\"a,3"), (Cells{"\"a", "3"})) << "what is no name is left as it is";
  EXPECT_EQ(split_cells("a,,b"), (Cells{"a", "", "b"}));
}

// A folder is read back with the names that it was written with, for figures and for the page.
TEST(RiskReport, OfAFolderIsReadBack) {
  const sim::Result result = played(400);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("risk-" + std::to_string(::getpid()));
  Directory(folder).write(result_files(result, {}));
  const StoredCurves curves = read_curves(folder, "regret");
  ASSERT_EQ(curves.policies.size(), 3u);
  EXPECT_EQ(curves.policies[1].policy, "d-ts(prior-shape=2,prior-rate=3)");
  ASSERT_TRUE(curves.policies[1].p99.has_value());
  EXPECT_EQ(curves.policies[1].p99->mean, risks(result)[1].p99.value);
  EXPECT_EQ(curves.policies[1].p99->t, 200);
  const PageSection section = read_section(folder);
  ASSERT_EQ(section.policies[1].risk.size(), 4u);
  EXPECT_EQ(section.policies[1].risk[0].figure, "p95");
  std::ofstream(folder / "risk.csv") << kRiskHeading << "\nnobody,p99,1,1,1,1\n";
  EXPECT_ANY_THROW(read_section(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dbandit::report
