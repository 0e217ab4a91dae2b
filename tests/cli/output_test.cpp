#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/kernel/target.hpp"

/// What the program prints: the documents that other tools rely on, and the text that people read.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

void expect_moments(const Json& moments) {
  EXPECT_EQ(keys(moments), (Words{"mean", "stderr", "ci95"}));
  ASSERT_EQ(moments["ci95"].size(), 2u);
  EXPECT_LE(moments["ci95"][0].get<double>(), moments["mean"].get<double>());
  EXPECT_LE(moments["mean"].get<double>(), moments["ci95"][1].get<double>());
  // Student's 97.5 % quantile of 299 degrees of freedom is 1.968.
  EXPECT_NEAR(moments["ci95"][1].get<double>() - moments["mean"].get<double>(), 1.968 * moments["stderr"].get<double>(), 1e-3);
}

Json document(const Words& arguments) {
  const Outcome outcome = dbandit(arguments + Words{"--json"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  return Json::parse(outcome.out);
}

TEST(JsonDocument, HasTheKeysOfTheContractInItsOrder) {
  const Json json = document(small_run());
  EXPECT_EQ(keys(json), (Words{"schema", "spec", "policies", "paired", "bounds", "risk", "manifest"}));
  EXPECT_EQ(json["schema"], "dbandit.result.v1");
  EXPECT_EQ(keys(json["spec"]), (Words{"theta", "delay",       "assume-delay", "censor", "horizon", "policies", "replicas",
                                       "until", "seed",        "epsilon",      "clamp",  "ties",    "start",    "radius",
                                       "gamma", "prior-shape", "prior-rate",   "at",     "engine",  "exposure", "solver"}));
  ASSERT_EQ(json["policies"].size(), 3u);
  for (const Json& policy : json["policies"]) {
    EXPECT_EQ(keys(policy), (Words{"policy", "curve", "pulls", "final_regret"}));
    ASSERT_EQ(policy["curve"].size(), 3u);
    for (const Json& point : policy["curve"]) {
      EXPECT_EQ(keys(point), (Words{"t", "regret", "pseudo_regret", "realised_regret"}));
      for (const char* measure : {"regret", "pseudo_regret", "realised_regret"}) expect_moments(point[measure]);
    }
    ASSERT_EQ(policy["pulls"].size(), 2u);
    for (const Json& arm : policy["pulls"]) EXPECT_EQ(keys(arm), (Words{"arm", "mean", "stderr"}));
    EXPECT_EQ(keys(policy["final_regret"]), (Words{"p10", "p50", "p90"}));
  }
  ASSERT_EQ(json["paired"].size(), 3u);
  for (const Json& pair : json["paired"]) {
    EXPECT_EQ(keys(pair), (Words{"a", "b", "regret_difference"}));
    expect_moments(pair["regret_difference"]);
  }
  EXPECT_EQ(keys(json["bounds"]), (Words{"censored", "uncensored"}));
  for (const Json& setting : json["bounds"]) EXPECT_EQ(keys(setting), (Words{"lower", "ucb", "klucb"}));
  EXPECT_EQ(keys(json["manifest"]),
            (Words{"version", "commit", "compiler", "cpu", "target", "threads", "seconds", "replica_rounds", "replica_rounds_per_second"}));
}

TEST(JsonDocument, ItsNumbersHangTogether) {
  const Json json = document(small_run());
  EXPECT_EQ(json["spec"]["censor"], 10);
  EXPECT_EQ(json["spec"]["at"], Json({10, 30, 60}));
  EXPECT_EQ(json["manifest"]["replica_rounds"], 300 * 60 * 3);
  std::vector<double> regret;
  for (const Json& policy : json["policies"]) {
    double pulls = 0;
    for (const Json& arm : policy["pulls"]) pulls += arm["mean"].get<double>();
    EXPECT_NEAR(pulls, 60, 1e-9);
    // Arm 1 costs 0.2 a pull.
    EXPECT_NEAR(policy["curve"][2]["pseudo_regret"]["mean"].get<double>(), 0.2 * policy["pulls"][1]["mean"].get<double>(), 1e-9);
    EXPECT_LE(policy["final_regret"]["p10"], policy["final_regret"]["p50"]);
    EXPECT_LE(policy["final_regret"]["p50"], policy["final_regret"]["p90"]);
    regret.push_back(policy["curve"][2]["regret"]["mean"].get<double>());
  }
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {0, 2}, {1, 2}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [a, b] = pairs[i];
    EXPECT_EQ(json["paired"][i]["a"], json["policies"][a]["policy"]);
    EXPECT_EQ(json["paired"][i]["b"], json["policies"][b]["policy"]);
    EXPECT_NEAR(json["paired"][i]["regret_difference"]["mean"].get<double>(), regret[a] - regret[b], 1e-9);
  }
}

/// The values of spec.toml are JSON too, so the two can be compared key by key; none of these is its default.
TEST(JsonDocument, ItsSpecIsThatOfTheStoredFile) {
  const Scratch scratch;
  const Words options{"--epsilon", "0.25",    "--clamp", "none",     "--ties",    "lowest",     "--start", "fixed",    "--radius",
                      "paper",     "--gamma", "0.75",    "--engine", "reference", "--exposure", "history", "--solver", "bisection"};
  Json spec = document(small_run() + options + Words{"--out", scratch / "results"})["spec"];
  std::istringstream file(read_file(scratch / "results/spec.toml"));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t equals = line.find(" = ");
    const std::string key = line.substr(0, equals);
    EXPECT_EQ(spec[key], Json::parse(line.substr(equals + 3))) << line;
    spec.erase(key);
  }
  EXPECT_TRUE(spec.empty()) << spec;
}

TEST(JsonDocument, WithoutAWindowHasNoCensoredBounds) {
  const Json json =
      document({"run", "--theta", "0.5,0.3", "--delay", "geometric:5", "--horizon", "20", "--policies", "ud-ucb", "--replicas", "300"});
  EXPECT_EQ(json["spec"]["censor"], "none");
  EXPECT_TRUE(json["bounds"]["censored"].is_null());
}

TEST(JsonDocument, OfOneReplicaHasNullsForItsIntervals) {
  Words run = small_run();
  *(std::find(run.begin(), run.end(), "--replicas") + 1) = "1";
  EXPECT_TRUE(document(run)["policies"][0]["curve"][0]["regret"]["ci95"][0].is_null());
}

/// Risk has a file of its own.
TEST(Summary, IsTheDocumentWithoutItsManifestAndRisk) {
  const Scratch scratch;
  Json json = document(small_run() + Words{"--out", scratch / "results"});
  EXPECT_EQ(keys(Json::parse(read_file(scratch / "results/manifest.json"))), keys(json["manifest"]));
  json.erase("manifest");
  json.erase("risk");
  EXPECT_EQ(Json::parse(read_file(scratch / "results/summary.json")), json);
}

TEST(Csv, IsTheDocumentsCurve) {
  const Json json = document(small_run());
  std::istringstream csv(dbandit(small_run() + Words{"--csv"}).out);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "policy,t,measure,mean,stderr,ci_low,ci_high");
  for (const Json& policy : json["policies"]) {
    for (const Json& point : policy["curve"]) {
      for (const char* measure : {"regret", "pseudo_regret", "realised_regret"}) {
        std::getline(csv, line);
        Words cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        ASSERT_EQ(cells.size(), 7u) << line;
        EXPECT_EQ(cells[0], policy["policy"]);
        EXPECT_EQ(std::stoll(cells[1]), point["t"]);
        EXPECT_EQ(cells[2], measure);
        // Shortest text that reads back: equal, not near.
        EXPECT_EQ(std::stod(cells[3]), point[measure]["mean"]);
        EXPECT_EQ(std::stod(cells[4]), point[measure]["stderr"]);
        EXPECT_EQ(std::stod(cells[5]), point[measure]["ci95"][0]);
        EXPECT_EQ(std::stod(cells[6]), point[measure]["ci95"][1]);
      }
    }
  }
  EXPECT_FALSE(std::getline(csv, line));
}

TEST(Run, UniformPlaysThePrintedRegretAtRoundThousand) {
  // The mean gap of the three arms is 0.04, and L(1000) = 0.04 Σ_{d<1000} τ_d = 22.712 up to the balanced start.
  const Json json = document({"run", "--theta", "0.1,0.05,0.03", "--delay", "geometric:500", "--censor", "1000", "--horizon", "1000",
                              "--policies", "uniform", "--replicas", "2000", "--at", "1000"});
  const Json regret = json["policies"][0]["curve"][0]["regret"];
  EXPECT_NEAR(regret["mean"].get<double>(), 22.712, 4 * regret["stderr"].get<double>());
}

TEST(Table, ShowsEveryPolicyWithItsMeasures) {
  const Outcome outcome = dbandit(small_run());
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"d-klucb", "ud-ucb", "uniform", "regret", "pseudo-regret", "slope/bound", "time/round", "±", "lower bound"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
}

bool has_color(std::string_view text) { return text.find("\033[") != std::string::npos; }

TEST(Color, InAPipeIsOnlyForThoseWhoAsk) {
  EXPECT_FALSE(has_color(dbandit(small_run()).out));
  EXPECT_FALSE(has_color(dbandit(small_run() + Words{"--color", "auto"}).out));
  EXPECT_TRUE(has_color(dbandit(small_run() + Words{"--color", "always"}).out));
  EXPECT_TRUE(has_color(dbandit(small_run() + Words{"--color", "always"}, {.environment = {{"NO_COLOR", "1"}}}).out));
}

TEST(Color, OnATerminalGivesWayToNoColorAndToNever) {
  const auto terminal_has_color = [](const Words& flags, const std::string& no_color, const std::string& term) {
    const Terminal terminal;
    dbandit(small_run() + flags, {.standard_output = terminal.line(), .environment = {{"NO_COLOR", no_color}, {"TERM", term}}});
    return has_color(terminal.shown());
  };
  EXPECT_TRUE(terminal_has_color({}, "", "xterm"));
  EXPECT_FALSE(terminal_has_color({}, "1", "xterm"));
  EXPECT_FALSE(terminal_has_color({}, "", "dumb"));
  EXPECT_FALSE(terminal_has_color({"--color", "never"}, "", "xterm"));
}

TEST(Progress, IsShownToATerminalWithRateAndEtaAndWipedAtTheEnd) {
  const Terminal terminal;
  Words run = small_run("d-klucb") + Words{"--engine", "reference"};
  *(std::find(run.begin(), run.end(), "--replicas") + 1) = "6000";
  EXPECT_EQ(dbandit(run, {.standard_error = terminal.line(), .environment = {{"TERM", "xterm"}}}).exit, 0);
  const std::string shown = terminal.shown();
  EXPECT_NE(shown.find("replica-rounds/s"), std::string::npos) << shown;
  EXPECT_NE(shown.find("ETA"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("\r\033[K")) << shown;
}

TEST(Progress, IsNotShownToThoseWhoWantQuiet) {
  const Terminal terminal;
  EXPECT_EQ(dbandit(small_run() + Words{"--quiet"}, {.standard_error = terminal.line()}).exit, 0);
  EXPECT_EQ(terminal.shown(), "");
}

TEST(Bounds, AreThePrintedOnesToSixDigits) {
  const auto bounds = [](const std::string& theta) {
    return dbandit({"bounds", "--theta", theta, "--delay", "geometric:500", "--censor", "1000"}).out;
  };
  for (const char* number : {"7.396989", "8.239681", "13.586614", "8.673881", "7.500000"}) {
    EXPECT_NE(bounds("0.5,0.4,0.3").find(number), std::string::npos) << number;
  }
  for (const char* number : {"4.908813", "4.965286", "5.324957", "19.826015", "17.142857"}) {
    EXPECT_NE(bounds("0.1,0.05,0.03").find(number), std::string::npos) << number;
  }
}

TEST(Bounds, AsJsonAreThoseOfARun) {
  const Words problem{"--theta", "0.5,0.3", "--delay", "geometric:5", "--censor", "10"};
  const Json bounds = Json::parse(dbandit(Words{"bounds"} + problem + Words{"--json"}).out);
  EXPECT_EQ(bounds["schema"], "dbandit.bounds.v1");
  EXPECT_EQ(bounds["bounds"], document(small_run())["bounds"]);
}

TEST(Help, TeachesWithExamplesExitCodesAndTheEnvironment) {
  const Outcome outcome = dbandit({"--help"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"Examples:", "Exit codes:", "130", "NO_COLOR", "run", "bounds", "list"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Help, OfEveryCommandEndsWellAndHasAnExample) {
  for (const char* command : {"run", "bounds", "list"}) {
    const Outcome outcome = dbandit({command, "--help"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_NE(outcome.out.find("  dbandit " + std::string(command)), std::string::npos) << outcome.out;
  }
}

TEST(Help, ShowsAFlagForEveryKeyOfASpec) {
  const std::string help = dbandit({"run", "--help"}).out;
  for (const std::string& key : keys(document(small_run())["spec"])) EXPECT_NE(help.find("--" + key + " "), std::string::npos) << key;
}

TEST(Version, NamesVersionCommitAndCompiler) {
  const Outcome outcome = dbandit({"--version"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.out.starts_with("dbandit ")) << outcome.out;
  EXPECT_NE(outcome.out.find("(commit "), std::string::npos) << outcome.out;
}

TEST(List, ShowsWhatThereIs) {
  EXPECT_NE(dbandit({"list", "policies"}).out.find("ud-agnostic-klucb"), std::string::npos);
  EXPECT_NE(dbandit({"list", "delays"}).out.find("geometric:MEAN"), std::string::npos);
  EXPECT_NE(dbandit({"list", "targets"}).out.find(kernel::targets().back().name), std::string::npos);
  EXPECT_NE(dbandit({"list", "targets"}).out.find("by --target auto"), std::string::npos);
  EXPECT_NE(dbandit({"list", "solvers"}).out.find("bisection"), std::string::npos);
}

}  // namespace
}  // namespace dbandit::test
