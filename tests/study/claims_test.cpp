#include "study/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
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
    EXPECT_FALSE(claim.criterion.empty()) << claim.id;
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

// d-ts grows at 0.69 of the bound between 10^4 and 10^5, at twice the bound before and at 0.88 of it after that: below it, and rising. No
// horizon decides a limit, and none at which such a policy is looked at speaks against it.
TEST(Claims, ALowerBoundOnALimitSurvivesAPolicyThatFallsBelowItAndRises) {
  const auto lower = [](const sim::Result&, const model::Slopes& slopes) { return slopes.lower; };
  for (const char* id : {"theorem3", "theorem4"}) {
    const auto against = [&](const std::vector<double>& shares, double half) {
      const Finding finding = when_growing(id, shares, half, lower);
      EXPECT_EQ(finding.verdict, Verdict::open) << id;
      return finding.against;
    };
    EXPECT_FALSE(against({0.69, 0.90, 0.95}, 0.02)) << id;
    EXPECT_FALSE(against({1.90, 0.69, 0.88}, 0.02)) << id;
    EXPECT_FALSE(against({2.50, 1.90, 0.69}, 0.02)) << id << ": it has just fallen below";
    EXPECT_FALSE(against({0.69, 0.69, 0.69}, 0.02)) << id;
    EXPECT_FALSE(against({1.50, 1.20, 1.10}, 0.02)) << id;
    EXPECT_FALSE(against({0.90, 0.80, 0.70}, 0.10)) << id << ": it may be luck";
    EXPECT_TRUE(against({0.90, 0.80, 0.70}, 0.02)) << id;
  }
  const std::string trend = when_growing("theorem3", {0.69, 0.90, 0.95}, 0.02, lower).scope;
  EXPECT_NE(trend.find("0 of 8 policies grow no slower than the bound; below it: d-klucb (long/low) at 0.95 of it, +0.05 in a decade"),
            std::string::npos)
      << trend;
}

TEST(Claims, AnUpperBoundOnALimitIsContradictedByGrowthAboveItThatRises) {
  const auto ucb = [](const sim::Result&, const model::Slopes& slopes) { return slopes.ucb; };
  const auto klucb = [](const sim::Result& run, const model::Slopes& slopes) {
    return (1 + run.spec->epsilon) * slopes.lower / (1 - *std::ranges::max_element(run.spec->theta));
  };
  const auto expect = [](const char* id, const auto& rate) {
    const auto trend = [&](const std::vector<double>& shares, double half) {
      const Finding finding = when_growing(id, shares, half, rate);
      EXPECT_EQ(finding.verdict, Verdict::open) << id;
      return finding;
    };
    const auto says = [](const Finding& finding, const char* words) {
      EXPECT_NE(finding.scope.find(words), std::string::npos) << finding.scope;
      return finding.against;
    };
    EXPECT_FALSE(says(trend({2.0, 1.5, 1.2}, 0.02), "falls: ")) << id;
    EXPECT_FALSE(says(trend({2.0, 1.5, 1.01}, 0.02), "is no longer above 1 for sure: ")) << id;
    EXPECT_FALSE(says(trend({1.2, 1.2, 1.2}, 0.02), "is above 1 and not seen to fall for sure: ")) << id;
    EXPECT_TRUE(says(trend({1.2, 1.3, 1.5}, 0.02), "is above 1 and rises: ")) << id;
    EXPECT_FALSE(trend({1.5, 1.2, 1.3}, 0.02).against) << id << ": a wave, it has fallen since the first";
    EXPECT_FALSE(trend({1.2, 1.3, 1.5}, 0.20).against) << id << ": it may be luck";
    EXPECT_FALSE(trend({0.5, 0.6, 0.7}, 0.02).against) << id << ": below it, it may rise";
    // Steps of 0.5 and 0.25 lead to a quarter less.
    const Finding falling = trend({2.0, 1.5, 1.25}, 0.001);
    const auto led = std::ranges::find_if(falling.measured, [](const Quantity& one) { return one.what.starts_with("where it leads"); });
    ASSERT_NE(led, falling.measured.end()) << id;
    EXPECT_NEAR(led->value.value, 1.0, 1e-9) << id;
  };
  expect("theorem9", ucb);
  expect("theorem11", klucb);
}

/// A made-up run of this name whose policies grow, in each decade from 10^2 on, exactly by `rate(policy, decade)` per ln t.
template <class Rate>
sim::Result growing_by(const std::string& name, Rate rate) {
  constexpr double count = 1000;
  sim::Result result{.spec = named_run(name).settings};
  const model::Problem problem = result.spec.problem();
  if (result.spec->censor) result.censored = model::slopes(problem, result.spec->censor, result.spec->epsilon);
  result.uncensored = model::slopes(problem, {}, result.spec->epsilon);
  std::vector<std::vector<double>> regret, growth;
  for (const std::string& policy : result.spec.ids()) {
    regret.push_back({1});
    growth.emplace_back();
    sim::PolicyStats& stats = result.stats.policies.emplace_back();
    stats.regret.push_back({count, 1, 0});
    for (std::size_t decade = 0; decade + 1 < result.spec->at.size(); ++decade) {
      growth.back().push_back(rate(policy, decade) * std::log(10));
      regret.back().push_back(regret.back().back() + growth.back().back());
      stats.growth.push_back({count, growth.back().back(), 0});
      stats.regret.push_back({count, regret.back().back(), 0});
    }
  }
  for (std::size_t a = 0; a < regret.size(); ++a) {
    for (std::size_t b = a + 1; b < regret.size(); ++b) {
      for (std::size_t r = 0; r < regret[a].size(); ++r) result.stats.paired_at.push_back({count, regret[a][r] - regret[b][r], 0});
      for (std::size_t r = 0; r < growth[a].size(); ++r) result.stats.paired_growth.push_back({count, growth[a][r] - growth[b][r], 0});
      result.stats.paired.push_back({count, regret[a].back() - regret[b].back(), 0});
    }
  }
  return result;
}

/// What a claim finds in made-up long runs; `rate(run, policy, decade)`.
template <class Rate>
Finding in_long_runs(const std::string& id, Rate rate) {
  Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {}};
  for (const std::string name : {"long/low", "long/high", "long/uncensored", "long/epsilon", "price/high"}) {
    evidence.runs.emplace(name,
                          growing_by(name, [&](const std::string& policy, std::size_t decade) { return rate(name, policy, decade); }));
  }
  const std::vector<Judged> judged = judge(evidence, std::vector<std::string>{id});
  EXPECT_EQ(judged.size(), 1U);
  return judged.front().finding;
}

/// The first quantity whose name begins so.
double measured(const Finding& finding, std::string_view what) {
  const auto found = std::ranges::find_if(finding.measured, [&](const Quantity& one) { return one.what.starts_with(what); });
  EXPECT_NE(found, finding.measured.end()) << what;
  return found == finding.measured.end() ? 0 : found->value.value;
}

// Every decade has a growth of its own, so that one taken for another shows.
TEST(Claims, WhatIsSaidOfTheLastDecadeIsMeasuredThere) {
  const auto rate = [](const std::string& run, const std::string& policy, std::size_t decade) {
    const double of_policy = policy == "discard-bernkl" || policy == "oracle-klucb" ? 1 : policy.ends_with("-klucb") ? 2 : 3;
    return of_policy + static_cast<double>(decade) + (run == "long/epsilon" ? 2.5 : 0);
  };
  constexpr double kLast = 4;  // 10^6 to 10^7
  const Finding loss = in_long_runs("poisson-loss", rate), optimal = in_long_runs("discard-optimal", rate);
  const Finding epsilon = in_long_runs("epsilon", rate), additive = in_long_runs("additive", rate);
  const double lower = model::slopes(sim::Spec(named_run("long/low").settings).problem(), 1000, 0).lower;
  const double lower_uncensored = model::slopes(sim::Spec(named_run("long/low").settings).problem(), {}, 0).lower;
  EXPECT_NEAR(measured(loss, "simulated without delays"), (1 + kLast) / lower_uncensored, 1e-9);
  EXPECT_NEAR(measured(optimal, "measured from 10^6 to 10^7"), (2 + kLast) / lower, 1e-9);
  EXPECT_NEAR(measured(epsilon, "d-ucb's growth with"), (3 + kLast + 2.5) / (3 + kLast), 1e-9);
  EXPECT_NEAR(measured(epsilon, "d-klucb's growth with"), (2 + kLast + 2.5) / (2 + kLast), 1e-9);
  EXPECT_NEAR(measured(additive, "growth of the one over the other, 10^6 to 10^7"), (2 + kLast) / (1 + kLast), 1e-9);
  EXPECT_NEAR(measured(in_long_runs("poisson-price", rate), "growth of the one over the other, 10^6 to 10^7"), (2 + kLast) / (1 + kLast),
              1e-9);
}

TEST(Claims, ACostOfDelaysIsLookedAtInEveryDecadeAndIsAgainstTheClaimWhereItsGrowthRises) {
  // ud-klucb minus the same without delays, by decade from 10^2 on.
  const auto when = [](const std::vector<double>& costs) {
    return in_long_runs("additive", [&](const std::string&, const std::string& policy, std::size_t decade) {
      return policy == "ud-klucb" ? 5 + costs[decade] : 5;
    });
  };
  const Finding settles = when({1, 1, 4, 2, 1});
  EXPECT_FALSE(settles.against);
  EXPECT_EQ(settles.scope, "the cost grows by 9.2103 in the first decade, by 2.3026 in the last");
  for (const auto& [what, cost] : {std::pair{"ud-klucb's regret minus", 2.0}, {"10^5", 6.0}, {"10^6", 8.0}, {"10^7", 9.0}}) {
    EXPECT_NEAR(measured(settles, what), cost * std::log(10), 1e-9) << what;
  }
  EXPECT_TRUE(when({1, 1, 1, 2, 4}).against);
  EXPECT_FALSE(when({1, 1, 4, 4, 4}).against) << "it grows, and no faster";
  EXPECT_FALSE(when({1, 1, -4, -3, -1}).against) << "it falls";
}

TEST(Claims, ATrendAgainstAClaimIsNotWhatWasExpected) {
  const Claim limit{.id = "a", .source = "", .sentence = "", .criterion = "", .expected = Verdict::open, .runs = {}, .judge = nullptr};
  EXPECT_FALSE((Judged{&limit, {.verdict = Verdict::open, .measured = {}, .scope = "it falls"}}.changed()));
  EXPECT_TRUE((Judged{&limit, {.verdict = Verdict::open, .measured = {}, .scope = "it rises", .against = true}}.changed()));
}

/// The made-up moments of a run whose policies have these mean regrets at every recorded round, known to within ± half of each.
sim::Result with_regrets(const std::string& name, const std::map<std::string, std::vector<double>>& means, double half) {
  constexpr double count = 1000;
  sim::Result result{.spec = named_run(name).settings};
  if (result.spec->censor) result.censored = model::slopes(result.spec.problem(), result.spec->censor, 0);
  const auto moments = [&](double mean, double width) {
    const double error = width / stats::half_width_95({count, 0, 1});
    return stats::Moments{count, mean, error * error};
  };
  std::vector<std::vector<double>> all;
  for (const std::string& policy : result.spec.ids()) {
    std::vector<double> of = means.contains(policy) ? means.at(policy) : std::vector<double>{100};
    of.resize(result.spec->at.size(), of.back());
    sim::PolicyStats& stats = result.stats.policies.emplace_back();
    for (std::size_t r = 0; r < of.size(); ++r) {
      stats.regret.push_back(moments(of[r], half * of[r]));
      stats.pseudo_regret.push_back(moments(of[r], half * of[r]));
      if (r > 0) stats.growth.push_back(moments(of[r] - of[r - 1], half * of[r]));
    }
    all.push_back(std::move(of));
  }
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      for (std::size_t r = 0; r < all[a].size(); ++r) {
        const double width = half * std::hypot(all[a][r], all[b][r]);
        result.stats.paired_at.push_back(moments(all[a][r] - all[b][r], width));
        if (r > 0) result.stats.paired_growth.push_back(moments(all[a][r] - all[a][r - 1] - all[b][r] + all[b][r - 1], width));
        if (r + 1 == all[a].size()) result.stats.paired.push_back(moments(all[a][r] - all[b][r], width));
      }
    }
  }
  return result;
}

Finding judged_on(const std::string& id, const std::map<std::string, sim::Result>& runs) {
  Evidence evidence{.effort = Effort::quick, .seed = 1, .runs = {runs.begin(), runs.end()}};
  const std::vector<Judged> judged = judge(evidence, std::vector<std::string>{id});
  EXPECT_EQ(judged.size(), 1U);
  return judged.front().finding;
}

// Ahead at 10^4, behind at 10^6, whatever comes after that.
TEST(Claims, ThatKlucbIsOvertakenIsJudgedAtTenThousandAndAtAMillionRounds) {
  const auto when = [](double early, double to_a_million, double last) {
    const auto late = growing_by("long/high", [&](const std::string& policy, std::size_t decade) {
      return policy.ends_with("-klucb") ? 10 + (decade < 4 ? to_a_million : last) : 10;
    });
    const std::map<std::string, std::vector<double>> regrets{{"d-klucb", {100 + early}}, {"ud-klucb", {100 + early}}};
    return judged_on("overtaken", {{"fig1/high", with_regrets("fig1/high", regrets, 0.001)}, {"long/high", late}});
  };
  const Finding finding = when(-20, 1, -9);
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_NEAR(measured(finding, "d-klucb's regret minus d-ucb's at T = 10^4"), -20, 1e-9);
  EXPECT_NEAR(measured(finding, "at 10^6"), 4 * std::log(10), 1e-9);
  EXPECT_NEAR(measured(finding, "at 10^7"), -5 * std::log(10), 1e-9);
  EXPECT_NE(when(20, 1, 1).verdict, Verdict::holds);
  EXPECT_NE(when(-20, -1, 9).verdict, Verdict::holds);
}

// Recorded at 1000, 2000, 10^4 and 10^5: judged at all of them.
TEST(Claims, WhetherChanceHelpsQueuesIsJudgedAtEveryRecordedRound) {
  const auto when = [](const std::vector<double>& sdb) {
    return judged_on("random-waiting", {{"bounded/1000", with_regrets("bounded/1000", {{"sdb", sdb}}, 0.01)}});
  };
  EXPECT_EQ(when({60, 50, 80, 90}).verdict, Verdict::holds);
  EXPECT_EQ(when({120, 150, 180, 190}).verdict, Verdict::fails);
  EXPECT_EQ(when({60, 50, 100, 90}).verdict, Verdict::undecided);
  const Finding mixed = when({60, 50, 100, 130});
  EXPECT_EQ(mixed.verdict, Verdict::partly);
  EXPECT_EQ(mixed.scope, "t = 1000, 2000; at t = 100000 the queue alone has less regret, not told apart at t = 10000");
}

// The mean gap of the three rates is 0.04: random play loses 4000 in 10^5 rounds, a tenth of it is 400.
TEST(Claims, QueuesWorkWhereTheyLoseATenthOfWhatRandomPlayLoses) {
  const auto when = [](double last) {
    const std::map<std::string, std::vector<double>> regrets{{"qpmd-klucb", {50, 60, 200, last}}, {"d-klucb", {40, 50, 100, 200}}};
    return judged_on("qpmd-bounded", {{"bounded/1000", with_regrets("bounded/1000", regrets, 0.001)}});
  };
  EXPECT_EQ(when(390).verdict, Verdict::holds);
  EXPECT_EQ(when(410).verdict, Verdict::fails);
  const Finding finding = when(380);
  EXPECT_NEAR(measured(finding, "qpmd-klucb's pseudo-regret over that of random play"), 0.095, 1e-12);
  EXPECT_NEAR(measured(finding, "its regret over d-klucb's at 10^4"), 2, 1e-12);
  EXPECT_NEAR(measured(finding, "at 10^5"), 1.9, 1e-12);
  EXPECT_NEAR(measured(finding, "growth of the one over the other from 10^4 to 10^5"), 1.8, 1e-12);
}

// The largest gap is 0.07: 1024 rounds of it are 71.7, 4096 are 286.7.
TEST(Claims, BatchesMayCostTheLongestDelayInRoundsOfTheLargestGap) {
  const auto when = [](double shorter, double longer) {
    return judged_on("etc-cost", {{"bounded/8", with_regrets("bounded/8", {{"etc", {400}}}, 0.001)},
                                  {"bounded/1024", with_regrets("bounded/1024", {{"etc", {400 + shorter}}}, 0.001)},
                                  {"bounded/4096", with_regrets("bounded/4096", {{"etc", {400 + longer}}}, 0.001)}})
        .verdict;
  };
  EXPECT_EQ(when(50, 180), Verdict::holds);
  EXPECT_EQ(when(50, 320), Verdict::fails);
  EXPECT_EQ(when(90, 180), Verdict::fails);
  EXPECT_EQ(when(71.7, 180), Verdict::undecided);
}

// Allowed: 1 + 0.865 · 0.12 = 1.10 for a further round of m, and no more of it at long windows than at short ones.
TEST(Claims, ARemainderIsLinearWhereItsSlopeIsThatOfTheProofAndDoesNotRise) {
  const auto when = [](double first, double second) {
    const auto run = [](const char* name, double regret) {
      return std::pair<const std::string, sim::Result>(name, with_regrets(name, {{"d-ucb", {regret}}}, 0.001));
    };
    return judged_on("remainder", {run("stretched/250", 200), run("stretched/1000", 200 + 750 * first),
                                   run("stretched/4000", 200 + 750 * first + 3000 * second)})
        .verdict;
  };
  EXPECT_EQ(when(0.03, 0.02), Verdict::holds);
  EXPECT_EQ(when(0.03, 0.03), Verdict::holds);
  EXPECT_EQ(when(0.03, 0.05), Verdict::fails) << "faster than linear";
  EXPECT_EQ(when(1.30, 1.20), Verdict::fails) << "more than the proof allows";
}

TEST(Claims, ATallyCountsEveryVerdictAndWhatIsTrueByDefinition) {
  const Claim plain{.id = "a", .source = "", .sentence = "", .criterion = "", .expected = Verdict::holds, .runs = {}, .judge = nullptr};
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
