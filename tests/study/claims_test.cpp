#include "study/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

/// A run of this name in which every policy grows, per ln t, by `share` of what `constant` says of its setting, known to within ± half of
/// that.
template <class Constant>
sim::Result growing(const std::string& name, double share, double half, Constant constant) {
  constexpr double count = 1000;
  sim::Result result{.spec = named_run(name).settings};
  const model::Problem problem = result.spec.problem();
  if (result.spec->censor) result.censored = model::slopes(problem, result.spec->censor, 0);
  result.uncensored = model::slopes(problem, {}, 0);
  for (const std::string& policy : result.spec.ids()) {
    const bool window = !policy.starts_with("ud-") && !policy.starts_with("oracle-");
    const double rate = constant(result, window ? result.censored : result.uncensored);
    sim::PolicyStats& stats = result.stats.policies.emplace_back();
    for (const std::int64_t t : result.spec->at) {
      const double ln_t = std::log(static_cast<double>(t)), unit = stats::half_width_95({count, 0, 1});
      // The growth over a decade has the errors of both of its ends.
      const double end = half * rate * std::log(10) / std::sqrt(2);
      stats.regret.push_back({count, share * rate * ln_t, end * end / (unit * unit)});
    }
  }
  const std::size_t policies = result.spec->policies.size();
  result.stats.paired.resize(policies * (policies - 1) / 2);
  return result;
}

template <class Constant>
Verdict verdict_when_growing(const std::string& id, double share, double half, Constant constant) {
  Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {}};
  for (const std::string name : {"long/low", "long/high", "long/uncensored"})
    evidence.runs.emplace(name, growing(name, share, half, constant));
  const std::vector<Judged> judged = judge(evidence, std::vector<std::string>{id});
  EXPECT_EQ(judged.size(), 1U);
  return judged.front().finding.verdict;
}

// Growth of 0.95 ± 0.1 times the bound is below it by chance perhaps; 0.95 ± 0.02 is below it.
TEST(Claims, ALowerBoundIsContradictedByTheWholeIntervalOnly) {
  const auto lower = [](const sim::Result&, const model::Slopes& slopes) { return slopes.lower; };
  for (const char* id : {"theorem3", "theorem4"}) {
    EXPECT_EQ(verdict_when_growing(id, 0.95, 0.10, lower), Verdict::holds) << id;
    EXPECT_EQ(verdict_when_growing(id, 0.95, 0.02, lower), Verdict::fails) << id;
    EXPECT_EQ(verdict_when_growing(id, 1.05, 0.10, lower), Verdict::holds) << id;
    EXPECT_EQ(verdict_when_growing(id, 1.05, 0.02, lower), Verdict::holds) << id;
  }
}

TEST(Claims, AnUpperBoundIsContradictedByTheWholeIntervalOnly) {
  const auto ucb = [](const sim::Result&, const model::Slopes& slopes) { return slopes.ucb; };
  const auto klucb = [](const sim::Result& run, const model::Slopes& slopes) {
    return slopes.lower / (1 - *std::ranges::max_element(run.spec->theta));
  };
  const auto expect = [](const char* id, const auto& rate) {
    EXPECT_EQ(verdict_when_growing(id, 1.05, 0.10, rate), Verdict::holds) << id;
    EXPECT_EQ(verdict_when_growing(id, 1.05, 0.02, rate), Verdict::partly) << id;
    EXPECT_EQ(verdict_when_growing(id, 0.95, 0.10, rate), Verdict::holds) << id;
    EXPECT_EQ(verdict_when_growing(id, 0.95, 0.02, rate), Verdict::holds) << id;
  };
  expect("theorem9", ucb);
  expect("theorem11", klucb);
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
