#include "study/league.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "dbandit/core/error.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/run.hpp"

namespace dbandit::study {
namespace {

TEST(League, HasAtLeastTwelveProblemsOfEveryKind) {
  std::set<std::string> names;
  std::set<std::size_t> arms;
  bool believes = false, differs = false;
  for (const LeagueProblem& problem : league_problems()) {
    EXPECT_TRUE(names.insert(problem.name).second) << problem.name;
    EXPECT_FALSE(problem.shows.empty());
    arms.insert(problem.settings.theta.size());
    believes |= problem.settings.assume_delay.has_value();
    differs |= !problem.settings.delay.common();
  }
  EXPECT_GE(names.size(), 12u);
  EXPECT_EQ(arms, (std::set<std::size_t>{2, 3, 10, 50}));
  EXPECT_TRUE(believes && differs);
}

TEST(League, SetsEveryPolicyAgainstEveryProblemAtBothHorizons) {
  const auto matches = league_matches(Effort::quick, 1);
  EXPECT_EQ(matches.size(), 2 * league_problems().size());
  for (const Match& match : matches) {
    EXPECT_EQ(match.spec->policies.size(), policy::catalogue().size());
  }
}

// Demšar (2006), table 5(a): critical values of 1.960, 2.728 and 3.164 for 2, 5 and 10 classifiers.
TEST(League, HasNemenyisCriticalDifference) {
  for (const auto& [policies, value] : {std::pair{2u, 1.960}, {5u, 2.728}, {10u, 3.164}}) {
    const double k = policies;
    EXPECT_NEAR(critical_difference(policies, 30) / std::sqrt(k * (k + 1) / 180), value, 6e-4) << policies;
  }
}

/// A league of one small problem.
struct Small {
  LeagueProblem problem{.name = "small", .shows = "nothing", .settings = {}};
  std::vector<Match> matches;
  std::vector<sim::Result> results;
  Small() {
    sim::Settings spec;
    spec.theta = {0.5, 0.1};
    spec.delay = model::Geometric{5};
    spec.censor = 10;
    spec.horizon = 400;
    spec.replicas = 64;
    for (const policy::Entry& entry : policy::catalogue()) spec.policies.emplace_back(entry.id);
    for (const std::uint64_t seed : {1, 2}) {
      spec.seed = seed;
      matches.push_back({&problem, sim::Spec(spec)});
      results.push_back(sim::run(matches.back().spec, {}));
    }
  }
};

TEST(League, RanksFromOneAndComparesWithTheBestInTheSameWorlds) {
  const Small league;
  for (const Division division : {Division::window, Division::no_window}) {
    const auto played = places(league.results.front(), division);
    double sum = 0, count = 0, least = 1e9;
    for (const Place& place : played) {
      if (!place.ranked) continue;
      sum += place.rank, count += 1, least = std::min(least, place.regret.mean);
    }
    EXPECT_DOUBLE_EQ(sum, count * (count + 1) / 2);
    for (const Place& place : played) {
      EXPECT_NEAR(place.behind.value, place.regret.mean - least, 1e-9) << place.policy;
      EXPECT_NEAR(place.over_best, place.regret.mean / least, 1e-12);
      EXPECT_EQ(place.ranked, place.policy != "uniform" && !place.policy.starts_with("oracle")) << place.policy;
      EXPECT_EQ(place.policy.starts_with("ud-"), division == Division::no_window);
    }
  }
}

TEST(League, PutsRankedPoliciesFirstAndInOrder) {
  const Small league;
  const auto table = standings(league.results, league.matches, Division::window);
  EXPECT_TRUE(std::ranges::is_sorted(table, std::less<>(), [](const Standing& row) { return row.ranked ? row.mean_rank : 1e9; }));
  EXPECT_EQ(table.back().policy, "uniform");
  EXPECT_GE(table.front().best, 1);
}

/// A match in which the ranked policies of the division have these regrets, everybody else far more; every paired difference has this
/// standard error.
sim::Result match(const std::vector<std::pair<std::string, double>>& regrets, double error) {
  constexpr double count = 10'001;
  const auto moments = [&](double mean) { return stats::Moments{count, mean, error * error * count}; };
  sim::Settings settings;
  settings.theta = {0.5, 0.3};
  settings.delay = model::Geometric{5};
  settings.censor = 10;
  settings.horizon = 100;
  settings.at = {100};
  for (const policy::Entry& entry : policy::catalogue()) settings.policies.emplace_back(entry.id);
  sim::Result result{.spec = settings};
  std::vector<double> means;
  for (const policy::Entry& entry : policy::catalogue()) {
    const auto given = std::ranges::find(regrets, entry.id, &std::pair<std::string, double>::first);
    means.push_back(given != regrets.end() ? given->second : 1000 + static_cast<double>(means.size()));
    result.stats.policies.emplace_back().regret = {moments(means.back())};
  }
  for (std::size_t a = 0; a < means.size(); ++a) {
    for (std::size_t b = a + 1; b < means.size(); ++b) result.stats.paired.push_back(moments(means[a] - means[b]));
  }
  return result;
}

const Place& place_of(const std::vector<Place>& places, std::string_view policy) {
  return *std::ranges::find(places, policy, &Place::policy);
}

// Tables of the normal distribution: P(|Z| > 1.959964) = 0.05, P(|Z| > 2.575829) = 0.01, P(|Z| > 1) = 0.3173105.
TEST(League, ChanceOfADifferenceIsThatOfTheTablesWhoeverComesFirst) {
  for (const auto& [errors, p] : {std::pair{1.959964, 0.05}, {2.575829, 0.01}, {1.0, 0.3173105}}) {
    for (const auto& [best, other] : {std::pair{"d-ucb", "d-klucb"}, {"d-klucb", "d-ucb"}}) {
      const auto played = places(match({{best, 50}, {other, 50 + 2 * errors}, {"oracle-ucb", 50 - 2 * errors}}, 2), Division::window);
      const Place& behind = place_of(played, other);
      EXPECT_NEAR(behind.p, p, 1e-6) << errors;
      EXPECT_EQ(behind.rank, 2);
      EXPECT_NEAR(behind.behind.value, 2 * errors, 1e-9);
      // The interval is of Student's distribution, which ten thousand replicas make the normal one.
      EXPECT_NEAR(behind.behind.low, 2 * (errors - 1.959964), 2e-3);
      EXPECT_NEAR(behind.behind.high, 2 * (errors + 1.959964), 2e-3);
      EXPECT_EQ(place_of(played, best).p, 1);
      EXPECT_NEAR(place_of(played, "oracle-ucb").p, p, 1e-6) << "who is ahead is told apart as well";
    }
  }
}

TEST(League, AMatchThatTheIntervalDoesNotDecideIsCountedAsUndecided) {
  const LeagueProblem problem{.name = "made up", .shows = "nothing", .settings = {}};
  // 1.9 and 2.0 standard errors behind: the 95 % interval has zero in it, and has not.
  const std::vector<sim::Result> results{match({{"d-ucb", 50}, {"d-klucb", 51.9}, {"d-ts", 52}}, 1)};
  const std::vector<Match> matches{{&problem, results.front().spec}};
  const auto table = standings(results, matches, Division::window);
  const auto row = [&](std::string_view policy) { return *std::ranges::find(table, policy, &Standing::policy); };
  EXPECT_EQ(row("d-ucb").best, 1);
  EXPECT_EQ(row("d-ucb").undecided, 0);
  EXPECT_EQ(row("d-klucb").best, 0);
  EXPECT_EQ(row("d-klucb").undecided, 1);
  EXPECT_EQ(row("d-ts").best, 0);
  EXPECT_EQ(row("d-ts").undecided, 0);
  EXPECT_EQ(row("d-ts").worst, 52.0 / 50);
  EXPECT_DOUBLE_EQ(row("d-ts").over_best, 52.0 / 50);
  EXPECT_EQ(row("d-ts").worst_in, "made up");
}

TEST(League, IsWonByEverybodyThatNobodyIsBetterThan) {
  const LeagueProblem problem{.name = "made up", .shows = "nothing", .settings = {}};
  const std::vector<std::string> tied{"d-ucb", "d-klucb", "d-ts", "discard-ucb"};
  for (std::size_t count = 1; count <= tied.size(); ++count) {
    std::vector<std::pair<std::string, double>> regrets;
    for (std::size_t i = 0; i < tied.size(); ++i) regrets.emplace_back(tied[i], i < count ? 50 : 60);
    const std::vector<sim::Result> results{match(regrets, 1)};
    const std::vector<Match> matches{{&problem, results.front().spec}};
    int winners = 0;
    for (const Standing& row : standings(results, matches, Division::window)) {
      winners += row.best;
      const auto given = std::ranges::find(tied, row.policy);
      EXPECT_EQ(row.best, given != tied.end() && static_cast<std::size_t>(given - tied.begin()) < count ? 1 : 0) << row.policy;
    }
    EXPECT_EQ(winners, static_cast<int>(count));
  }
}

TEST(League, WritesThreeSentencesAndFilesThatDoNotDependOnTheClock) {
  Small league;
  EXPECT_EQ(advice(league.results, league.matches).size(), 3u);
  const auto files = league_files(league.results, league.matches);
  for (sim::Result& result : league.results) {
    for (double& seconds : result.timing.policy_seconds) seconds *= 2;
  }
  const auto later = league_files(league.results, league.matches);
  ASSERT_EQ(files.size(), 4u);
  for (std::size_t i = 0; i < files.size(); ++i)
    EXPECT_EQ(files[i].content == later[i].content, files[i].name != "times.csv") << files[i].name;
}

TEST(League, IsReadBackForThePageAPartForEachDivision) {
  const Small league;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("league-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto files = league_files(std::span(league.results).first(1), std::span(league.matches).first(1));
  for (const report::File& file : files) std::ofstream(folder / file.name) << file.content;
  std::ofstream(folder / "manifest.json") << "{}";
  const auto sections = read_league_sections(folder);
  ASSERT_EQ(sections.size(), 2u);
  const auto& curves = sections[0].slices.front().measures.front().curves;
  EXPECT_EQ(sections[0].policies.size(), curves.size());
  EXPECT_EQ(sections[0].policies.size() + sections[1].policies.size(), policy::catalogue().size());
  double least = 1e9;
  for (const auto& curve : curves) {
    if (curve.policy.starts_with("oracle")) continue;
    least = std::min(least, curve.mean.front().mean);
    EXPECT_LE(curve.mean.front().low, curve.mean.front().mean) << curve.policy;
    EXPECT_GE(curve.mean.front().high, curve.mean.front().mean) << curve.policy;
  }
  EXPECT_NEAR(least, 1, 1e-12);
  const std::vector<Place> played = places(league.results.front(), Division::window);
  for (const auto& pair : sections[0].cells.front().pairs) {
    EXPECT_GE(pair.mean, 0) << pair.a;
    EXPECT_EQ(pair.b, sections[0].cells.front().pairs.front().b);
    EXPECT_NE(pair.a, pair.b);
    const Place& place = place_of(played, pair.a);
    EXPECT_NEAR(pair.mean, place.behind.value, 1e-9);
    EXPECT_NEAR(pair.low, place.behind.low, 1e-9);
    EXPECT_NEAR(pair.high, place.behind.high, 1e-9);
  }
  std::ofstream(folder / "league.csv") << "problem,horizon\n";
  EXPECT_THROW(read_league_sections(folder), UserError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dbandit::study
