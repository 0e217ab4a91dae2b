#pragma once

#include <span>
#include <string>
#include <vector>

#include "dbandit/report/directory.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/gnuplot.hpp"
#include "report/page.hpp"
#include "study/evidence.hpp"
#include "study/interval.hpp"

/// Every policy on the same problems: who is good where, and for whom which.
namespace dbandit::study {

/// A problem of the league, without its horizon. Those of 50 arms get a smaller share of the replicas.
struct LeagueProblem {
  std::string name;
  std::string shows;  ///< what is hard about it, in a few words
  sim::Settings settings;
  double share = 1;
};
/// The table in league_problems.cpp; to add one, add a row.
std::span<const LeagueProblem> league_problems();
inline constexpr std::int64_t kLeagueHorizons[] = {10'000, 100'000};

/// A problem at a horizon, with every policy of the catalogue, in the same worlds.
struct Match {
  const LeagueProblem* problem = nullptr;
  sim::Spec spec;
};
std::vector<Match> league_matches(Effort effort, std::uint64_t seed);

/// Regret with a window and without are not comparable, so each setting has its own table.
enum class Division { window, no_window };
std::string_view words(Division division);

/// What a policy did in a match. Policies that see what nobody can, or nothing, are shown and not ranked.
struct Place {
  std::string policy;
  stats::Moments regret;  ///< at the horizon
  bool ranked = true;
  double rank = 0;       ///< among the ranked, 1 is the least regret
  Interval behind = {};  ///< regret beyond the best ranked policy's, paired
  double p = 1;          ///< two-sided, of that difference being chance (normal)
  double over_best = 1;  ///< regret over the best's
};
/// In the order of the catalogue.
std::vector<Place> places(const sim::Result& result, Division division);

/// What a policy did in all of them.
struct Standing {
  std::string policy;
  bool ranked = true;
  double mean_rank = 0;
  double over_best = 1;       ///< geometric mean of regret over the best's
  double worst = 1;           ///< the largest of these
  std::string worst_in = {};  ///< and where
  int best = 0;               ///< matches in which nobody was better
  int undecided = 0;          ///< beside these, matches in which the paired interval does not tell it from the best
};
/// Ranked ones by mean rank, then the others.
std::vector<Standing> standings(std::span<const sim::Result> results, std::span<const Match> matches, Division division);

/// Nemenyi's: mean ranks that are further apart are unlikely (5 %) if the policies were alike (Demšar 2006).
double critical_difference(std::size_t policies, std::size_t matches);

/// Whether the policy has to know the law of the delays.
bool needs_the_law(std::string_view policy);

/// Three sentences made from the numbers: law known, law unknown, no window.
std::vector<std::string> advice(std::span<const sim::Result> results, std::span<const Match> matches);

/// The first line of league.csv.
inline constexpr std::string_view kLeagueHeading =
    "problem,horizon,division,policy,ranked,regret,stderr,ci_low,ci_high,rank,behind,behind_low,behind_high,p";
/// README.md, league.csv, standings.csv: the same bytes for the same seed. times.csv: nanoseconds per replica and round.
std::vector<report::File> league_files(std::span<const sim::Result> results, std::span<const Match> matches);
/// For a terminal.
std::string league_table(std::span<const sim::Result> results, std::span<const Match> matches, const report::Style& style);
/// Mean ranks with half the critical difference either side, and regret over the best's.
report::Drawing league_drawing(std::span<const sim::Result> results, std::span<const Match> matches);
/// A folder as `dbandit league` writes it: a part of the page for each division, problems by number. Throws UserError.
std::vector<report::PageSection> read_league_sections(const std::filesystem::path& folder);

}  // namespace dbandit::study
