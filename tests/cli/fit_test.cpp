#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/kernel/target.hpp"

/// `dbandit run --log` and `dbandit fit`.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;

Words logged_run(const std::string& folder) {
  return {"run",
          "--theta",
          "0.3,0.2",
          "--delay",
          "geometric:20",
          "--censor",
          "60",
          "--horizon",
          "3000",
          "--policies",
          "d-klucb,ud-ucb,uniform",
          "--replicas",
          "8",
          "--at",
          "3000",
          "--log",
          folder,
          "--log-replicas",
          "3"};
}

std::string log_text(int rows) {
  std::string text = "start,conversion,arm\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i) + ',' + (i % 3 == 0 ? std::to_string(i + i % 17) : "") + ',' + (i % 2 == 0 ? "a" : "b") + '\n';
  }
  return text + "4000,,a\n";
}

TEST(Fit, FindsTheWorldOfALogThatRunWrote) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(logged_run(scratch / "logs")).exit, 0);
  for (const char* policy : {"d-klucb", "ud-ucb", "uniform"}) {
    const Outcome outcome = dbandit({"fit", scratch / "logs/" + policy + ".csv", "--json", "--laws", "geometric"});
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json.at("schema"), "dbandit.fit.v1");
    EXPECT_EQ(json.at("log").at("rows"), 9000);
    EXPECT_EQ(json.at("log").at("counted"), json.at("log").at("conversions"));
    const auto& fit = json.at("fits").at(0);
    const auto holds = [](const nlohmann::json& estimate, double truth) {  // a seed that is fixed: four standard errors
      return std::abs(estimate.at("value").get<double>() - truth) < 4 * estimate.at("stderr").get<double>();
    };
    EXPECT_TRUE(holds(fit.at("parameter_estimates").at(0), 20)) << policy << fit;
    EXPECT_TRUE(holds(fit.at("rate_estimates").at(0), 0.3)) << policy << fit;
    EXPECT_TRUE(holds(fit.at("rate_estimates").at(1), 0.2)) << policy << fit;
  }
}

// The line is what a run of the printed world says, of as many replicas; and a log of one arm has none.
TEST(Fit, SaysWhatTheLeaguesBestWouldLoseThere) {
  const Scratch scratch;
  ASSERT_EQ(dbandit(logged_run(scratch / "logs")).exit, 0);
  const Outcome outcome = dbandit({"fit", scratch / "logs/uniform.csv", "--json", "--laws", "geometric"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& said = json.at("expected_regret");
  const auto& theta = json.at("spec").at("theta");
  const Outcome run =
      dbandit({"run", "--theta", theta.at(0).dump() + "," + theta.at(1).dump(), "--delay", json.at("spec").at("delay"), "--censor",
               json.at("delay_rounds").at("ninety_percent").dump(), "--horizon", said.at("horizon").dump(), "--at",
               said.at("horizon").dump(), "--policies", "d-ts,uniform", "--replicas", said.at("replicas").dump(), "--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const auto played = nlohmann::json::parse(run.out).at("policies");
  EXPECT_EQ(said.at("mean"), played.at(0).at("curve").back().at("regret").at("mean"));
  EXPECT_EQ(said.at("ci95"), played.at(0).at("curve").back().at("regret").at("ci95"));
  EXPECT_NEAR(said.at("random_play").get<double>() / played.at(1).at("curve").back().at("regret").at("mean").get<double>(), 1, 0.05);
  write_file(scratch / "one.csv", "start,conversion\n0,2\n1,\n2,3\n3,\n4,9\n50,\n");
  const Outcome one = dbandit({"fit", scratch / "one.csv", "--round", "1", "--json"});
  ASSERT_EQ(one.exit, 0) << one.err;
  EXPECT_FALSE(nlohmann::json::parse(one.out).contains("expected_regret"));
}

// A law that fits stays in its band; delays of 3 or 40 rounds are not geometric; and an arm whose conversions take ten times as long
// differs.
TEST(Fit, SaysWhetherTheLawFitsAndWhetherTheArmsDiffer) {
  const Scratch scratch;
  const auto said_of = [&](const std::string& log, const Words& flags) {
    write_file(scratch / "log.csv", log);
    const Outcome outcome = dbandit(Words{"fit", scratch / "log.csv"} + flags);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome.out;
  };
  const auto log_of = [](auto delay) {
    std::string text = "start,conversion,arm\n";
    for (int i = 0; i < 3000; ++i) text += std::to_string(i) + ',' + std::to_string(i + delay(i)) + ',' + (i % 2 == 0 ? "a\n" : "b\n");
    return text + "4000,,a\n";
  };
  const std::string two_delays = said_of(log_of([](int i) { return i % 3 == 0 ? 40 : 3; }), {"--laws", "geometric"});
  EXPECT_NE(two_delays.find("P–P: geometric leaves the 95 % band"), std::string::npos) << two_delays;
  EXPECT_EQ(two_delays.find("stays within"), std::string::npos);

  ASSERT_EQ(dbandit(logged_run(scratch / "logs")).exit, 0);
  const std::string own = dbandit({"fit", scratch / "logs/uniform.csv", "--laws", "geometric"}).out;
  EXPECT_NE(own.find("P–P: geometric stays within the 95 % band"), std::string::npos) << own;
  EXPECT_NE(own.find(": nothing against it"), std::string::npos) << own;

  const std::string apart = said_of(log_of([](int i) { return i % 2 == 0 ? i % 7 : i * 37 % 70; }), {"--laws", "geometric"});
  EXPECT_NE(apart.find(": the arms differ"), std::string::npos) << apart;
}

TEST(RunLog, IsTheSameOnEveryTargetAndTheReference) {
  const Scratch scratch;
  const Words small = {"run", "--theta",    "0.3,0.2", "--delay",    "geometric:20", "--censor", "60",  "--horizon",
                       "300", "--policies", "d-klucb", "--replicas", "16",           "--at",     "300", "--log-replicas",
                       "10"};
  ASSERT_EQ(dbandit(small + Words{"--log", scratch / "baseline", "--target", std::string(kernel::targets().back().name)}).exit, 0);
  ASSERT_EQ(dbandit(small + Words{"--log", scratch / "auto"}).exit, 0);
  ASSERT_EQ(dbandit(small + Words{"--log", scratch / "reference", "--engine", "reference"}).exit, 0);
  const std::string text = read_file(scratch / "baseline/d-klucb.csv");
  EXPECT_TRUE(text.starts_with("replica,arm,start,conversion,end\n0,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 10 * 300);
  EXPECT_EQ(read_file(scratch / "auto/d-klucb.csv"), text);
  EXPECT_EQ(read_file(scratch / "reference/d-klucb.csv"), text);
}

/// A disk that is full in the middle of the second file: none is there, and no passing name.
TEST(RunLog, IsWholeOrNotThere) {
  const Scratch scratch;
  const Outcome outcome = dbandit(logged_run(scratch / "logs"), {.largest_file = 20'000});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "logs"));
}

TEST(RunLog, RefusesWhatCannotBeLogged) {
  const Scratch scratch;
  for (const Words& wrong :
       {Words{"--log-replicas", "2"}, Words{"--log", scratch / "l", "--log-replicas", "0"},
        Words{"--log", scratch / "l", "--log-replicas", "301"}, Words{"--log", scratch / "l", "--shard", "1/2", "--out", scratch / "o"}}) {
    const Outcome outcome = dbandit(small_run() + wrong);
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("dbandit: --log")) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "l"));
  }
}

TEST(Fit, PrintsLinesThatASpecTakes) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900));
  const Outcome outcome = dbandit({"fit", scratch / "log.csv", "--round", "1", "--window", "40"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  std::string spec;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("theta = ") || line.starts_with("delay = ") || line.starts_with("censor = ")) spec += line + '\n';
  }
  EXPECT_NE(spec.find("censor = 39\n"), std::string::npos) << spec;
  write_file(scratch / "spec.toml", spec);
  const Outcome bounds = dbandit({"bounds", scratch / "spec.toml"});
  EXPECT_EQ(bounds.exit, 0) << bounds.err << spec;
}

TEST(Fit, ThreadsChangeNoByte) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900));
  const Outcome one = dbandit({"fit", scratch / "log.csv", "--threads", "1"});
  ASSERT_EQ(one.exit, 0) << one.err;
  EXPECT_EQ(dbandit({"fit", scratch / "log.csv", "--threads", "3"}).out, one.out);
}

TEST(Fit, ReadsAPipe) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900));
  const Outcome piped = dbandit({"fit", "/dev/stdin"}, {.launcher = {"sh", "-c", "cat '" + (scratch / "log.csv") + "' | \"$0\" \"$@\""}});
  EXPECT_EQ(piped.exit, 0) << piped.err;
  EXPECT_EQ(piped.out, dbandit({"fit", scratch / "log.csv"}).out);
}

TEST(Fit, WritesItsFilesAndItsFigure) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900));
  const Outcome outcome = dbandit({"fit", scratch / "log.csv", "--out", scratch / "out", "--color", "never"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(read_file(scratch / "out/fit.txt") + "\nwritten to " + (scratch / "out") + ": fit.json, fit.txt, pp.csv\n", outcome.out);
  EXPECT_EQ(dbandit({"fit", scratch / "log.csv", "--json"}).out, read_file(scratch / "out/fit.json"));
  EXPECT_TRUE(read_file(scratch / "out/pp.csv").starts_with("law,delay,expected,observed\n"));
  if (outcome.err.empty()) {
    EXPECT_NE(read_file(scratch / "out/pp.svg").find("<svg"), std::string::npos);
  }
}

TEST(Fit, RefusesABadLogInOneLineAndLeavesNothing) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900) + "5000,4999,a\n");
  const Outcome outcome = dbandit({"fit", scratch / "log.csv", "--out", scratch / "out"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("line 903: the conversion, at 4999, is before the start, at 5000; nothing was read"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
}

TEST(Fit, RefusesWrongFlags) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(900));
  struct Wrong {
    Words flags;
    std::string beginning;
  };
  for (const Wrong& wrong : {Wrong{{"--round", "10q"}, "dbandit: --round: '10q' is not a time"},
                             {{"--round", "0"}, "dbandit: --round: '0' is not a time"},
                             {{"--window", "-3"}, "dbandit: --window: '-3' is not a time"},
                             {{"--unit", "y"}, "dbandit: --unit: 'y' is not one of: ms s m h d"},
                             {{"--end", "soon"}, "dbandit: --end: 'soon' is not a time"},
                             {{"--columns", "when=x"}, "dbandit: --columns: 'when=x' is not ROLE=NAME"},
                             {{"--laws", "geometrc"}, "dbandit: --laws: 'geometrc' is not one of:"},
                             {{"--laws", "constant"}, "dbandit: --laws: none of these"}}) {
    const Outcome outcome = dbandit(Words{"fit", scratch / "log.csv"} + wrong.flags);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_TRUE(outcome.err.starts_with(wrong.beginning)) << outcome.err;
  }
  EXPECT_EQ(dbandit({"fit"}).exit, 2);
}

/// A log in seconds, a round in minutes.
TEST(Fit, TakesTimesWithAUnit) {
  const Scratch scratch;
  write_file(scratch / "log.csv", log_text(3000));
  const Outcome minutes = dbandit({"fit", scratch / "log.csv", "--round", "1m", "--json", "--laws", "geometric"});
  EXPECT_EQ(minutes.out, dbandit({"fit", scratch / "log.csv", "--round", "60", "--json", "--laws", "geometric"}).out);
  EXPECT_EQ(minutes.out, dbandit({"fit", scratch / "log.csv", "--round", "60ms", "--unit", "ms", "--json", "--laws", "geometric"}).out);
}

}  // namespace
}  // namespace dbandit::test
