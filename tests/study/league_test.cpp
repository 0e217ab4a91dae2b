#include "dbandit/study/league.hpp"

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
  }
  EXPECT_NEAR(least, 1, 1e-12);
  for (const auto& pair : sections[0].cells.front().pairs) {
    EXPECT_GE(pair.mean, 0) << pair.a;
    EXPECT_EQ(pair.b, sections[0].cells.front().pairs.front().b);
    EXPECT_NE(pair.a, pair.b);
  }
  std::ofstream(folder / "league.csv") << "problem,horizon\n";
  EXPECT_THROW(read_league_sections(folder), UserError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dbandit::study
