#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

/// --json of the commands around runs: the document is all that is on standard output, and says what the files say.
namespace dbandit::test {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

Words keys(const Json& object) {
  Words names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

Json document(const Words& arguments, const std::string& schema, int exit = 0) {
  const Outcome outcome = dbandit(arguments + Words{"--json"});
  EXPECT_EQ(outcome.exit, exit) << outcome.err;
  const Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  EXPECT_EQ(json.value("schema", ""), schema);
  return json;
}

TEST(JsonOfSweep, HasTheNumbersOfItsFiles) {
  const Scratch scratch;
  const Json json = document({"sweep", "--vary", "censor=5,20", "--vary", "epsilon=0,0.5", "--theta", "0.5,0.3", "--delay", "geometric:5",
                              "--horizon", "60", "--policies", "d-ucb,d-klucb", "--replicas", "100", "--out", scratch / "sweep"},
                             "dbandit.sweep.v1");
  EXPECT_EQ(keys(json), (Words{"schema", "spec", "axes", "cells", "manifest"}));
  EXPECT_EQ(json["axes"][0]["key"], "censor");
  EXPECT_EQ(json["axes"][1]["values"], Json({0.0, 0.5}));
  ASSERT_EQ(json["cells"].size(), 4u);
  const Json& last = json["cells"][3];
  EXPECT_EQ(last["at"]["censor"], 20);
  EXPECT_EQ(last["at"]["epsilon"], 0.5);
  EXPECT_EQ(keys(last), (Words{"at", "policies", "paired"}));
  // The last line of sweep.csv but for measures that come after regret: look for the row itself.
  std::ifstream csv(scratch / "sweep/sweep.csv");
  bool is_found = false;
  for (std::string line; std::getline(csv, line);) {
    if (!line.starts_with("20,0.5,d-klucb,regret,")) continue;
    is_found = true;
    EXPECT_EQ(std::stod(line.substr(std::string("20,0.5,d-klucb,regret,").size())), last["policies"][1]["regret"]["mean"].get<double>());
  }
  EXPECT_TRUE(is_found);
  EXPECT_NEAR(last["paired"][0]["regret_difference"]["mean"].get<double>(),
              last["policies"][0]["regret"]["mean"].get<double>() - last["policies"][1]["regret"]["mean"].get<double>(), 1e-9);
}

TEST(JsonOfSweep, IsNotPrintedTogetherWithCsv) {
  const Outcome outcome = dbandit({"sweep", "--json", "--csv", "--vary", "censor=5,20"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("--json and --csv: choose one"), std::string::npos) << outcome.err;
}

TEST(JsonOfClaims, IsClaimsJson) {
  const Scratch scratch;
  const Outcome outcome = dbandit({"claims", "lemma1", "--quick", "--json", "--out", scratch / "claims"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_file(scratch / "claims/claims.json"));
}

TEST(JsonOfClaims, ListsWhatIsClaimed) {
  const Json json = document({"claims", "--list"}, "dbandit.claims.v1");
  EXPECT_GT(json["claims"].size(), 30u);
  EXPECT_EQ(keys(json["claims"][0]), (Words{"id", "source", "sentence"}));
}

TEST(JsonOfList, HasAnObjectForEachRow) {
  for (const std::string what : {"policies", "settings", "delays", "targets", "solvers"}) {
    const Json json = document({"list", what}, "dbandit.list.v1");
    EXPECT_EQ(keys(json), (Words{"schema", what}));
    ASSERT_FALSE(json[what].empty()) << what;
  }
  const Json policies = document({"list", "policies"}, "dbandit.list.v1")["policies"];
  EXPECT_EQ(keys(policies[0]), (Words{"policy", "setting", "leaps", "summary"}));
  EXPECT_EQ(policies[0]["leaps"], true);
  std::size_t chosen = 0;
  const Json targets = document({"list", "targets"}, "dbandit.list.v1");
  for (const Json& target : targets["targets"]) {
    if (!target["chosen"].get<bool>()) continue;
    ++chosen;
    EXPECT_TRUE(target["supported"].get<bool>());
  }
  EXPECT_EQ(chosen, 1u);
}

TEST(JsonOfReplay, SaysWhichFilesDifferAndWhere) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(small_run() + Words{"--out", scratch / "one"}).exit, 0);
  const Json same = document({"replay", scratch / "one"}, "dbandit.replay.v1");
  ASSERT_EQ(same["results"].size(), 1u);
  EXPECT_EQ(keys(same["results"][0]), (Words{"folder", "identical", "same", "different", "older", "missing"}));
  EXPECT_EQ(same["results"][0]["identical"], true);
  EXPECT_TRUE(same["results"][0]["different"].empty());
  write_file(scratch / "one/curve.csv", "something else\n");
  const Json other = document({"replay", scratch / "one"}, "dbandit.replay.v1", 3);
  EXPECT_EQ(other["results"][0]["identical"], false);
  ASSERT_EQ(other["results"][0]["different"].size(), 1u);
  EXPECT_EQ(other["results"][0]["different"][0]["file"], "curve.csv");
  EXPECT_NE(other["results"][0]["different"][0]["where"].get<std::string>().find("line 1"), std::string::npos) << other;
}

}  // namespace
}  // namespace dbandit::test
