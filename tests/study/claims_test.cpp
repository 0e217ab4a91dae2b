#include "study/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "dbandit/core/error.hpp"
#include "dbandit/model/bounds.hpp"
#include "dbandit/sim/run.hpp"

namespace dbandit::study {
namespace {

TEST(Claims, HaveIdsOfTheirOwnAndRunsThatExist) {
  std::set<std::string> ids;
  for (const Claim& claim : claims()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.sentence.empty()) << claim.id;
    for (const std::string& run : claim.runs) {
      EXPECT_EQ(std::ranges::count(named_runs(), run, &NamedRun::name), 1) << claim.id << " needs " << run;
    }
  }
  EXPECT_GE(ids.size(), 30U);
}

// docs/claims.md: rows of a table whose last cell names claims in backquotes, or begins with "none".
TEST(Claims, AreThoseThatTheListOfSentencesNames) {
  std::ifstream page(std::filesystem::path(DBANDIT_SOURCE) / "docs/claims.md");
  ASSERT_TRUE(page.is_open());
  std::set<std::string> ids, named;
  for (const Claim& claim : claims()) ids.insert(claim.id);
  std::size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| where")) continue;
    ++rows;
    const std::string last = line.substr(line.rfind("| ", line.size() - 3) + 2);
    if (last.starts_with("none")) {
      EXPECT_NE(last.find(": "), std::string::npos) << "no reason: " << line;
      continue;
    }
    bool names_one = false;
    for (std::size_t from = last.find('`'); from != std::string::npos; from = last.find('`', last.find('`', from + 1) + 1)) {
      const std::string id = last.substr(from + 1, last.find('`', from + 1) - from - 1);
      EXPECT_TRUE(ids.contains(id)) << id << " is no claim: " << line;
      names_one = named.insert(id).second || names_one || ids.contains(id);
    }
    EXPECT_TRUE(names_one) << line;
  }
  EXPECT_GE(rows, 60U);
  for (const std::string& id : ids) EXPECT_TRUE(named.contains(id)) << id << " is of no sentence in docs/claims.md";
}

TEST(Claims, EveryNamedRunIsValidAndNeededByAFigureOrAClaim) {
  for (const NamedRun& run : named_runs()) {
    sim::Settings spec = run.settings;
    for (const std::int64_t replicas : {run.quick, run.full}) {
      spec.replicas = replicas;
      EXPECT_NO_THROW(static_cast<void>(sim::Spec(spec))) << run.name;
    }
    const bool needed = std::ranges::any_of(claims(), [&](const Claim& claim) { return std::ranges::count(claim.runs, run.name) > 0; });
    EXPECT_TRUE(needed || !run.figure.empty()) << run.name;
  }
}

// What needs no run is computed exactly or from a small world: its verdict cannot depend on luck with this seed.
TEST(Claims, ThatNeedNoRunGetTheVerdictThatIsExpected) {
  const Evidence nothing_ran{.effort = Effort::quick, .seed = 1, .runs = {}};
  const std::vector<Judged> judged = judge(nothing_ran);
  EXPECT_GE(judged.size(), 10U);
  for (const Judged& row : judged) EXPECT_FALSE(row.changed()) << row.claim->id << ": " << verdict_text(row.finding);
}

TEST(Claims, AreJudgedOnlyOnTheEvidenceTheyNeed) {
  Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {}};
  for (const std::string name : {"sum/history", "sum/buffer", "sum/recursion"}) {
    EXPECT_TRUE(judge(evidence, std::vector<std::string>{"recursion"}).empty());
    sim::Settings spec = named_run(name).settings;
    spec.replicas = 16;
    evidence.runs.emplace(name, sim::run(spec, {}));
  }
  const std::vector<Judged> judged = judge(evidence, std::vector<std::string>{"recursion"});
  ASSERT_EQ(judged.size(), 1U);
  EXPECT_EQ(judged[0].finding.verdict, Verdict::holds);
}

/// A run of this name in which every policy grows, per ln t, by `shares` of what `constant` says of its setting, one for each decade from
/// 10^4 on, each known to within ± half of that.
template <class Constant>
sim::Result growing(const std::string& name, const std::vector<double>& shares, double half, Constant constant) {
  constexpr double count = 1000;
  sim::Result result{.spec = named_run(name).settings};
  const model::Problem problem = result.spec.problem();
  const double epsilon = result.spec->epsilon;
  if (result.spec->censor) result.censored = model::slopes(problem, result.spec->censor, epsilon);
  result.uncensored = model::slopes(problem, {}, epsilon);
  for (const std::string& policy : result.spec.ids()) {
    const bool window = !policy.starts_with("ud-") && !policy.starts_with("oracle-");
    const double rate = constant(result, window ? result.censored : result.uncensored) * std::log(10);
    const double error = half * rate / stats::half_width_95({count, 0, 1});
    sim::PolicyStats& stats = result.stats.policies.emplace_back();
    stats.growth = {{count, rate, 0}, {count, rate, 0}};  // from 10^2 to 10^4
    std::size_t decade = 0;
    for (std::int64_t from = 10'000; from < result.spec->horizon; from *= 10) {
      stats.growth.push_back({count, shares[std::min(decade++, shares.size() - 1)] * rate, error * error});
    }
    for (std::size_t r = 0; r < result.spec->at.size(); ++r) stats.regret.push_back({count, 1, 0});
  }
  return result;
}

template <class Constant>
Finding when_growing(const std::string& id, const std::vector<double>& shares, double half, Constant constant) {
  Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {}};
  for (const std::string name : {"long/low", "long/high", "long/uncensored", "long/sampling", "long/epsilon"})
    evidence.runs.emplace(name, growing(name, shares, half, constant));
  const std::vector<Judged> judged = judge(evidence, std::vector<std::string>{id});
  EXPECT_EQ(judged.size(), 1U);
  return judged.front().finding;
}

// d-ts grows at 0.69 of the bound between 10^4 and 10^5: below it, and rising. No horizon decides a limit; what moves away from it for sure
// speaks against it.
TEST(Claims, ALowerBoundOnALimitSurvivesAPolicyThatIsBelowItAndRises) {
  const auto lower = [](const sim::Result&, const model::Slopes& slopes) { return slopes.lower; };
  for (const char* id : {"theorem3", "theorem4"}) {
    EXPECT_EQ(when_growing(id, {0.69, 0.90, 0.95}, 0.02, lower).verdict, Verdict::open) << id;
    EXPECT_EQ(when_growing(id, {0.69, 0.69, 0.69}, 0.02, lower).verdict, Verdict::open) << id;
    EXPECT_EQ(when_growing(id, {1.50, 1.20, 1.10}, 0.02, lower).verdict, Verdict::open) << id;
    EXPECT_EQ(when_growing(id, {0.90, 0.80, 0.70}, 0.10, lower).verdict, Verdict::open) << id << ": it may be luck";
    EXPECT_EQ(when_growing(id, {0.90, 0.80, 0.70}, 0.02, lower).verdict, Verdict::fails) << id;
  }
  const std::string trend = when_growing("theorem3", {0.69, 0.90, 0.95}, 0.02, lower).scope;
  EXPECT_NE(trend.find("0 of 8 policies grow no slower than the bound; below it: d-klucb at 0.95 of it, +0.05 in a decade"),
            std::string::npos)
      << trend;
}

TEST(Claims, AnUpperBoundOnALimitIsContradictedByGrowthAboveItThatRises) {
  const auto ucb = [](const sim::Result&, const model::Slopes& slopes) { return slopes.ucb; };
  const auto klucb = [](const sim::Result& run, const model::Slopes& slopes) {
    return (1 + run.spec->epsilon) * slopes.lower / (1 - *std::ranges::max_element(run.spec->theta));
  };
  const auto expect = [](const char* id, const auto& rate) {
    const Finding falling = when_growing(id, {2.0, 1.5, 1.2}, 0.02, rate);
    EXPECT_EQ(falling.verdict, Verdict::open) << id;
    EXPECT_NE(falling.scope.find("falls towards 1"), std::string::npos) << falling.scope;
    const Finding flat = when_growing(id, {1.2, 1.2, 1.2}, 0.02, rate);
    EXPECT_EQ(flat.verdict, Verdict::open) << id;
    EXPECT_NE(flat.scope.find("not seen to fall"), std::string::npos) << flat.scope;
    EXPECT_EQ(when_growing(id, {1.2, 1.3, 1.5}, 0.02, rate).verdict, Verdict::fails) << id;
    EXPECT_EQ(when_growing(id, {1.2, 1.3, 1.5}, 0.20, rate).verdict, Verdict::open) << id << ": it may be luck";
    EXPECT_EQ(when_growing(id, {0.5, 0.6, 0.7}, 0.02, rate).verdict, Verdict::open) << id << ": below it, it may rise";
  };
  expect("theorem9", ucb);
  expect("theorem11", klucb);
}

TEST(Claims, ATallyCountsEveryVerdictAndWhatIsTrueByDefinition) {
  const Claim plain{.id = "a", .source = "", .sentence = "", .expected = Verdict::holds, .runs = {}, .judge = nullptr};
  Claim defined = plain;
  defined.kind = Kind::definition;
  const std::vector<Judged> judged{{&plain, {Verdict::holds, {}}},
                                   {&defined, {Verdict::holds, {}}},
                                   {&plain, {Verdict::open, {}, "it rises"}},
                                   {&plain, {Verdict::fails, {}}}};
  EXPECT_EQ(tally(judged), "4 claims: 2 hold (1 of them by definition), 1 fails, 1 is undecided at any horizon we can run");
  EXPECT_EQ(verdict_text(judged[2].finding), "undecided at any horizon we can run: it rises");
}

TEST(Claims, ASelectionNeedsOnlyItsOwnRuns) {
  const std::vector<NamedRun> runs = runs_for(std::vector<std::string>{"discard-gap", "discard-linear"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].name, "fig2/low");
  EXPECT_TRUE(runs_for(std::vector<std::string>{"lemma8"}).empty());
}

TEST(Claims, AMistypedIdIsAnsweredWithTheRightOne) {
  try {
    runs_for(std::vector<std::string>{"lemma88"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'lemma8'?"), std::string::npos) << error.what();
  }
}

TEST(Claims, ThePageNamesVerdictNumberAndCommandOfEveryRow) {
  const Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {}};
  const std::vector<std::string> ids{"lemma8", "bound-rises"};
  const std::vector<Judged> judged = judge(evidence, ids);
  const std::string page = claims_markdown(judged, evidence);
  EXPECT_NE(page.find("dbandit claims lemma8 --quick"), std::string::npos) << page;
  EXPECT_NE(page.find("fails"), std::string::npos) << page;
  const auto json = nlohmann::json::parse(claims_json(judged, evidence));
  ASSERT_EQ(json["claims"].size(), 2U);
  EXPECT_EQ(json["claims"][0]["id"], "bound-rises");
  EXPECT_EQ(json["claims"][0]["verdict"], "fails");
  EXPECT_EQ(json["claims"][1]["verdict"], "holds");
}

TEST(Figures, AreThoseOfThePaper) {
  EXPECT_EQ(figure_runs("fig1").size(), 2U);
  EXPECT_EQ(figure_runs("fig2").size(), 1U);
  EXPECT_EQ(figure_runs("fig3").size(), 2U);
  EXPECT_EQ(figure_runs("all").size(), 5U);
  for (const NamedRun& run : figure_runs("all")) {
    EXPECT_EQ(run.settings.horizon, 10'000) << run.name;
    EXPECT_EQ(run.settings.censor, 1000) << run.name;
    EXPECT_EQ(model::mean(run.settings.delay), 500) << run.name;
  }
}

TEST(Commands, SayWhatDiffersFromTheDefaults) {
  const std::string line = command(named_run("ties/lowest").settings);
  EXPECT_NE(line.find("dbandit run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000"), std::string::npos) << line;
  EXPECT_NE(line.find("--ties lowest"), std::string::npos) << line;
  EXPECT_EQ(line.find("--engine"), std::string::npos) << line;
}

}  // namespace
}  // namespace dbandit::study
