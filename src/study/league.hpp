#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dbandit/policy/catalogue.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/gnuplot.hpp"
#include "report/page.hpp"
#include "study/evidence.hpp"
#include "study/interval.hpp"

/// Every policy on the same problems: who is good where, and for whom which.
///
/// The unit of every count and of the bootstrap is a problem: a world, at both horizons. A world in which the policies believe another law
/// is no further problem for those who ignore laws, so such pairs are compared with each other and not ranked.
namespace dbandit::study {

/// What a match is played for.
enum class Part {
  ranking,  ///< the problems
  beliefs,  ///< the same worlds, where the law believed in is another: who uses a law
  tuning,   ///< other worlds, on which an exploration is chosen for each policy
  tuned     ///< the problems at the short horizon, with those explorations
};

/// A problem of the league, without its horizon. Those of 50 arms get a smaller share of the replicas.
struct LeagueProblem {
  std::string name;
  std::string shows;  ///< what is hard about it, in a few words
  sim::Settings settings;
  double share = 1;
  std::string world = {};  ///< of another belief: the problem with that world
};
/// The tables in league_problems.cpp; to add one, add a row.
std::span<const LeagueProblem> league_problems();
std::span<const LeagueProblem> other_beliefs();
std::span<const LeagueProblem> tuning_problems();
inline constexpr std::int64_t kLeagueHorizons[] = {10'000, 100'000};
/// The explorations that policies are tuned over; the first is the papers'.
inline constexpr double kExplorations[] = {0, 0.2, 1};

/// A problem at a horizon, with some of the policies, in the same worlds.
struct Match {
  const LeagueProblem* problem = nullptr;
  sim::Spec spec;
  Part part = Part::ranking;
};
std::vector<Match> league_matches(Effort effort, std::uint64_t seed);

/// Regret with a window and without are not comparable, so each setting has its own table.
enum class Division { window, no_window };
std::string_view words(Division division);

/// What a policy has to be told.
struct Knowledge {
  bool law = false;      ///< of the delays
  bool tau_m = false;    ///< the share of conversions that the window shows
  bool horizon = false;  ///< T
  bool prior = false;
  [[nodiscard]] bool of_delays() const { return law || tau_m; }
};
Knowledge knowledge(const policy::Entry& entry);
/// "law, prior".
std::string words(const Knowledge& knowledge);

/// What a policy did in a match. Policies that see what nobody can, or nothing, and those with a setting of their own are shown and not
/// ranked.
struct Place {
  std::string policy;
  stats::Moments regret;  ///< at the horizon
  double p99 = 0;         ///< of it over the replicas; infinite where these cannot support it
  bool ranked = true;
  Interval behind = {};  ///< regret beyond the best ranked policy's, paired
  /// Of chance alone (Student). Ranked: that nobody is better, the best having been chosen on the same replicas; Holm's correction over the
  /// problem. Others: that the two are alike.
  double p = 1;
  double over_best = 1;  ///< regret over the best's
};
/// A problem at both horizons, in one division.
struct Unit {
  const LeagueProblem* problem = nullptr;
  std::vector<std::vector<Place>> places;  ///< [horizon], as the matches come; in the order of the catalogue

  [[nodiscard]] const Place* find(std::size_t horizon, std::string_view policy) const;
  /// Mean over the horizons of ln(regret / best's); not a number if it did not play at all of them.
  [[nodiscard]] double log_ratio(std::string_view policy) const;
  /// Whether the tests tell it from the best at a horizon.
  [[nodiscard]] bool is_behind(std::string_view policy) const;
  /// The ranked policy that has the least regret at a horizon of those that are told nothing of the delays; null where there is none.
  [[nodiscard]] const Place* best_untold(std::size_t horizon) const;
};
std::vector<Unit> units(std::span<const sim::Result> results, std::span<const Match> matches, Division division);

/// What a policy did in all of them.
struct Standing {
  std::string policy;
  bool ranked = true;
  Knowledge knows = {};
  Interval over_best;           ///< geometric mean of regret over the best's; interval by bootstrap over the problems
  double p99 = 0;               ///< geometric mean of its p99 over the best's mean; infinite where its replicas support fewer than others'
  double worst = 0;             ///< the largest ratio of means
  std::string worst_in = {};    ///< and where
  int as_good = 0, behind = 0;  ///< problems in which the tests do not tell it from the best, and in which they do
  std::size_t first = 0, last = 0;              ///< ranks that the bootstrap leaves it
  Interval over_blind = {};                     ///< the same over the best who is told nothing of the delays
  double blind_worst = 0;                       ///< the largest ratio of means to the best of those at that horizon
  std::string blind_worst_in = {};              ///< and where
  std::size_t blind_first = 0, blind_last = 0;  ///< ranks among those; 0: it is told something
};
/// Ranked ones by regret over the best's, then the others.
std::vector<Standing> standings(std::span<const Unit> units);
/// The mean of log_ratio(a) − log_ratio(b) over the problems, with its bootstrap interval.
Interval log_lag(std::span<const Unit> units, std::string_view a, std::string_view b);
/// The same of the 99 % quantiles, over the problems whose replicas support both at every horizon; none where these are fewer than two.
std::optional<Interval> log_lag_p99(std::span<const Unit> units, std::string_view a, std::string_view b);

/// The exploration chosen for a policy on the tuning problems, and what it does on the problems.
struct Tuned {
  std::string policy;
  double epsilon = 0;
  double over_paper = 1;  ///< geometric mean of its regret over that with ε = 0, at the short horizon
};
std::vector<Tuned> tuned(std::span<const sim::Result> results, std::span<const Match> matches);

/// Sentences made from the tests: law known, law unknown, risk, no window, priors. They say so where the tests do not tell.
std::vector<std::string> advice(std::span<const sim::Result> results, std::span<const Match> matches);

/// The first line of league.csv.
inline constexpr std::string_view kLeagueHeading =
    "problem,horizon,division,policy,ranked,regret,stderr,ci_low,ci_high,p99,behind,behind_low,behind_high,p_holm";
/// README.md, league.csv, standings.csv: the same bytes for the same seed. times.csv: nanoseconds per replica and round.
std::vector<report::File> league_files(std::span<const sim::Result> results, std::span<const Match> matches);
/// dbandit.league.v1: what `dbandit league --json` prints.
std::string league_json(std::span<const sim::Result> results, std::span<const Match> matches, const report::Manifest& manifest);
/// For a terminal.
std::string league_table(std::span<const sim::Result> results, std::span<const Match> matches, const report::Style& style);
/// Regret over the best's: every problem, and the mean with its interval.
report::Drawing league_drawing(std::span<const sim::Result> results, std::span<const Match> matches);
/// A folder as `dbandit league` writes it: a part of the page for each division, problems by number. Throws UserError.
std::vector<report::PageSection> read_league_sections(const std::filesystem::path& folder);

}  // namespace dbandit::study
