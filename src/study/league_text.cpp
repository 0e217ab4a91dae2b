#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "report/csv.hpp"
#include "report/table.hpp"
#include "study/league_words.hpp"

namespace dbandit::study {
namespace {

std::string problem_words(const sim::Spec& spec) {
  const auto& theta = spec->theta;
  std::string rates = fmt::format(
      "{:.3g}", fmt::join(theta.begin(), theta.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(theta.size(), 3)), ", "));
  if (theta.size() > 3) rates += fmt::format(", … {:.3g} ({} arms)", theta.back(), theta.size());
  return rates;
}

std::string delay_words(const sim::Spec& spec) {
  const std::string world = model::short_delays_text(spec->delay);
  return spec->assume_delay ? fmt::format("{}, believed {}", world, model::short_delays_text(*spec->assume_delay)) : world;
}

const std::vector<std::string> kStandingHeading{"policy",   "is told", "rank",   "regret / best",        "p99 / best",
                                                "at worst", "as good", "behind", "regret / best untold", "rank untold"};

std::vector<std::vector<std::string>> standing_rows(const std::vector<Standing>& table) {
  std::vector<std::vector<std::string>> rows;
  for (const Standing& row : table) {
    const std::string told = words(row.knows);
    rows.push_back({row.policy, told.empty() ? "–" : told, rank_words(row.first, row.last), times(row.over_best), times(row.p99),
                    fmt::format("{} ({})", times(row.worst), row.worst_in), row.ranked ? fmt::format("{}", row.as_good) : "–",
                    row.ranked ? fmt::format("{}", row.behind) : "–", times(row.over_blind.value),
                    rank_words(row.blind_first, row.blind_last)});
  }
  return rows;
}

/// Regret of everyone at one horizon, a column per problem; the best and who cannot be told from it in bold.
void markdown_regrets(std::string& text, std::span<const Unit> units, Division division, std::size_t horizon) {
  std::vector<std::string> heading{"policy"};
  std::vector<std::vector<std::string>> rows;
  for (const Standing& row : standings(units)) rows.push_back({row.policy});
  for (const Unit& unit : units) {
    heading.push_back(unit.problem->name);
    for (auto& row : rows) {
      const Place& place = *unit.find(horizon, row.front());
      const std::string number = report::mean_text(place.regret);
      row.push_back(place.ranked && (place.over_best == 1 || place.p >= 0.05) ? "**" + number + "**" : number);
    }
  }
  text += fmt::format("### Regret at T = {}, {}\n\n", kLeagueHorizons[horizon], words(division));
  markdown_table(text, heading, rows);
}

void write_problems(std::string& text, std::span<const Match> matches) {
  std::vector<std::vector<std::string>> rows;
  for (const Match& match : matches) {
    if (match.part == Part::tuned || (!rows.empty() && rows.back().front() == match.problem->name)) continue;
    std::vector<std::string> replicas;
    for (const Match& other : matches) {
      if (other.problem == match.problem && other.part != Part::tuned) replicas.push_back(fmt::format("{}", other.spec->replicas));
    }
    rows.push_back({match.problem->name, match.problem->shows, problem_words(match.spec), delay_words(match.spec),
                    fmt::format("{}", *match.spec->censor), fmt::format("{}", fmt::join(replicas, " / "))});
  }
  text += "## Problems\n\n";
  markdown_table(text, {"problem", "what is hard", "rates", "delay", "window", "replicas"}, rows);
  text += fmt::format("Replicas at T = {}, then at T = {}; every policy meets the same worlds in all of them.\n\n", kLeagueHorizons[0],
                      kLeagueHorizons[1]);
}

std::string readme(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string text = "# League: every policy on the same problems\n\n";
  const bool is_quick = matches.front().spec->replicas == league_matches(Effort::quick, 1).front().spec->replicas;
  for (const std::string& sentence : advice(results, matches)) text += "- " + sentence + "\n";
  text += fmt::format(
      "\n![Regret over the best's](figure.svg)\n\n`./run.sh league{}` writes this page: {} problems, each a world at T = {}, seed {}; all "
      "policies meet the same worlds. Every sentence and rank above and below follows from tests over these problems and holds for "
      "problems like them. Regret counts what is visible at T (§2, Lemma 1), so a policy with a window and one without are not "
      "comparable and have tables of their own. The oracles, an index with immediate feedback each, see what nobody can, and uniform play "
      "looks at nothing: shown, not ranked. An oracle is no lower bound: it has no delay to wait for, but explores as much as its "
      "index does. Rows with a setting show what it does and are not ranked.\n\n",
      is_quick ? " --quick" : "", league_problems().size(), fmt::join(kLeagueHorizons, " and at T = "), matches.front().spec->seed);
  for (const Division division : kDivisions) {
    text += fmt::format("## Standings {}\n\n", words(division));
    markdown_table(text, kStandingHeading, standing_rows(standings(units(results, matches, division))));
  }
  text +=
      "is told: what a policy has to know beforehand (the law of the delays; τ_m, the share of conversions that the window shows; the "
      "horizon; a prior). rank: what the bootstrap over the problems leaves: nobody surely better comes after, nobody surely worse "
      "before; one number where all are told apart. regret / best: geometric mean over problems and horizons of the regret over the best "
      "ranked policy's, with its 95 % bootstrap interval. p99 / best: the same of the 99 % quantile over the replicas, where these are at "
      "least 368 in as many matches as the others' are. as good, behind: problems in which the tests (below) do not tell it from the best, "
      "and in which they do. untold: among those that are told neither the law nor τ_m.\n\n";
  text += "## Who wins where, with a window\n\n";
  const std::vector<Unit> window = units(results, matches, Division::window);
  write_problem_winners(text, window);
  write_priors(text, window);
  write_beliefs(text, results, matches);
  write_tuned(text, results, matches);
  write_radii(text, window, matches);
  write_problems(text, matches);
  for (const Division division : kDivisions) {
    for (std::size_t h = 0; h < std::size(kLeagueHorizons); ++h) markdown_regrets(text, units(results, matches, division), division, h);
  }
  text +=
      "± is a 95 % interval; bold: the best, and what the tests do not tell from it. `league.csv` has all numbers with the corrected "
      "p-values and the 99 % quantiles, `standings.csv` the standings, `times.csv` the time per round.\n";
  return text;
}

std::string league_csv(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string csv = std::string(kLeagueHeading) + '\n';
  for (const Division division : kDivisions) {
    for (const Unit& unit : units(results, matches, division)) {
      for (std::size_t h = 0; h < unit.places.size(); ++h) {
        for (const Place& place : unit.places[h]) {
          const Interval regret = interval_of(place.regret);
          fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3g}\n", unit.problem->name, kLeagueHorizons[h],
                         division == Division::window ? "window" : "none", report::csv_cell(place.policy), place.ranked ? 1 : 0,
                         regret.value, place.regret.standard_error(), regret.low, regret.high, place.p99, place.behind.value,
                         place.behind.low, place.behind.high, place.p);
        }
      }
    }
  }
  return csv;
}

std::string standings_csv(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string csv =
      "division,policy,ranked,law,tau_m,horizon,prior,rank_first,rank_last,over_best,over_best_low,over_best_high,p99_over_best,worst,"
      "worst_in,as_good,behind,over_best_untold,untold_rank_first,untold_rank_last\n";
  for (const Division division : kDivisions) {
    for (const Standing& row : standings(units(results, matches, division))) {
      fmt::format_to(std::back_inserter(csv), "{},{},{:d},{:d},{:d},{:d},{:d},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     division == Division::window ? "window" : "none", report::csv_cell(row.policy), row.ranked, row.knows.law,
                     row.knows.tau_m, row.knows.horizon, row.knows.prior, row.first, row.last, row.over_best.value, row.over_best.low,
                     row.over_best.high, row.p99, row.worst, row.worst_in, row.as_good, row.behind, row.over_blind.value, row.blind_first,
                     row.blind_last);
    }
  }
  return csv;
}

/// CPU seconds of a policy per replica and round.
double seconds_per_round(const sim::Result& result, std::size_t policy) {
  return result.timing.policy_seconds[policy] / (static_cast<double>(result.spec->replicas) * static_cast<double>(result.spec->horizon));
}

std::string times_csv(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string csv = "problem,horizon,policy,ns_per_round\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (matches[i].part != Part::ranking) continue;
    for (std::size_t p = 0; p < results[i].spec->policies.size(); ++p) {
      fmt::format_to(std::back_inserter(csv), "{},{},{},{:.1f}\n", matches[i].problem->name, matches[i].spec->horizon,
                     report::csv_cell(results[i].spec->policies[p].id), 1e9 * seconds_per_round(results[i], p));
    }
  }
  return csv;
}

}  // namespace

std::vector<report::File> league_files(std::span<const sim::Result> results, std::span<const Match> matches) {
  return {{"README.md", readme(results, matches)},
          {"league.csv", league_csv(results, matches)},
          {"standings.csv", standings_csv(results, matches)},
          {"times.csv", times_csv(results, matches)}};
}

std::string league_table(std::span<const sim::Result> results, std::span<const Match> matches, const report::Style& style) {
  using enum report::Align;
  std::string text;
  for (const Division division : kDivisions) {
    const std::vector<Unit> all = units(results, matches, division);
    report::Columns columns{
        .align = {left, left, right, right, right, right, right, right, right, right}, .rows = {kStandingHeading}, .highlight = {1}};
    for (auto& row : standing_rows(standings(all))) columns.rows.push_back(std::move(row));
    text += style.bold(fmt::format("{}, {} problems", words(division), all.size())) + "\n" + columns.text(style) + "\n";
  }
  for (const std::string& sentence : advice(results, matches)) text += sentence + "\n";
  return text;
}

}  // namespace dbandit::study
