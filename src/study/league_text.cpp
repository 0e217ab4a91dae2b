#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "dbandit/policy/catalogue.hpp"
#include "report/table.hpp"
#include "study/league.hpp"

namespace dbandit::study {
namespace {

constexpr Division kDivisions[] = {Division::window, Division::no_window};

/// "1.04": a ratio as far as it matters.
std::string times(double ratio) { return ratio < 9.995 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio); }

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

std::vector<std::vector<std::string>> standing_rows(const std::vector<Standing>& table) {
  std::vector<std::vector<std::string>> rows;
  for (const Standing& row : table) {
    rows.push_back({row.policy, row.ranked ? fmt::format("{:.1f}", row.mean_rank) : "–", times(row.over_best),
                    fmt::format("{} ({})", times(row.worst), row.worst_in), row.ranked ? fmt::format("{}", row.best) : "–",
                    row.ranked ? fmt::format("{}", row.undecided) : "–", needs_the_law(row.policy) ? "yes" : "no"});
  }
  return rows;
}

const std::vector<std::string> kStandingHeading{"policy", "mean rank", "regret / best", "at worst", "best", "as good", "knows the law"};

void markdown_row(std::string& text, const std::vector<std::string>& cells) { text += fmt::format("| {} |\n", fmt::join(cells, " | ")); }

void markdown_table(std::string& text, const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows) {
  markdown_row(text, heading);
  text += '|';
  for (std::size_t i = 0; i < heading.size(); ++i) text += i == 0 ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : rows) markdown_row(text, row);
  text += '\n';
}

/// Regret of everyone at one horizon, a column per problem; the best and who cannot be told from it in bold.
void markdown_regrets(std::string& text, std::span<const sim::Result> results, std::span<const Match> matches, Division division,
                      std::int64_t horizon) {
  std::vector<std::string> heading{"policy"};
  std::vector<std::vector<std::string>> rows;
  for (const Standing& row : standings(results, matches, division)) rows.push_back({row.policy});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (matches[i].spec->horizon != horizon) continue;
    heading.push_back(matches[i].problem->name);
    const std::vector<Place> played = places(results[i], division);
    for (auto& row : rows) {
      const Place& place = *std::ranges::find(played, row.front(), &Place::policy);
      const std::string number = report::mean_text(place.regret);
      row.push_back(place.ranked && place.behind.low <= 0 ? "**" + number + "**" : number);
    }
  }
  text += fmt::format("### Regret at T = {}, {}\n\n", horizon, words(division));
  markdown_table(text, heading, rows);
}

std::string readme(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string text = "# League: every policy on the same problems\n\n";
  for (const std::string& sentence : advice(results, matches)) text += "- " + sentence + "\n";
  text += fmt::format(
      "\n![Mean ranks and regret over the best's](figure.svg)\n\n`./run.sh league` writes this page; {} problems at T = {}, seed {}; all "
      "policies meet the same worlds. Regret counts what is visible at T (§2, Lemma 1), so a policy with a window and one without are not "
      "comparable and have tables of their own. The oracles, an index with immediate feedback each, see what nobody can, and uniform play "
      "looks at nothing: shown, not ranked. An oracle is no lower bound: it has no delay to wait for, but explores as much as its "
      "index does.\n\n",
      matches.size() / std::size(kLeagueHorizons), fmt::join(kLeagueHorizons, " and "), matches.front().spec->seed);
  for (const Division division : kDivisions) {
    const auto table = standings(results, matches, division);
    const auto ranked = static_cast<std::size_t>(std::ranges::count(table, true, &Standing::ranked));
    text += fmt::format("## Standings {}\n\n", words(division));
    markdown_table(text, kStandingHeading, standing_rows(table));
    text += fmt::format("Mean ranks over {} matches that differ by less than {:.1f} do not tell two policies apart (Nemenyi, 5 %).\n\n",
                        results.size(), critical_difference(ranked, results.size()));
  }
  text +=
      "mean rank: 1 is the least regret. regret / best: geometric mean over the matches of the regret over that of the best ranked policy. "
      "best: matches in which nobody had less. as good: matches in which the paired 95 % interval of the difference to the best holds "
      "0.\n\n"
      "## Problems\n\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < matches.size(); i += std::size(kLeagueHorizons)) {
    const sim::Spec& spec = matches[i].spec;
    std::vector<std::string> replicas;
    for (std::size_t h = 0; h < std::size(kLeagueHorizons); ++h) replicas.push_back(fmt::format("{}", matches[i + h].spec->replicas));
    rows.push_back({matches[i].problem->name, matches[i].problem->shows, problem_words(spec), delay_words(spec),
                    fmt::format("{}", *spec->censor), fmt::format("{}", fmt::join(replicas, " / "))});
  }
  markdown_table(text, {"problem", "what is hard", "rates", "delay", "window", "replicas"}, rows);
  for (const Division division : kDivisions) {
    for (const std::int64_t horizon : kLeagueHorizons) markdown_regrets(text, results, matches, division, horizon);
  }
  text +=
      "± is a 95 % interval; bold: the best, and what the paired interval does not tell from it. `league.csv` has all numbers with the "
      "paired tests, `standings.csv` the standings, `times.csv` the time per round.\n";
  return text;
}

std::string league_csv(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string csv = std::string(kLeagueHeading) + '\n';
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const Division division : kDivisions) {
      for (const Place& place : places(results[i], division)) {
        const Interval regret = interval_of(place.regret);
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3g}\n", matches[i].problem->name,
                       matches[i].spec->horizon, division == Division::window ? "window" : "none", place.policy, place.ranked ? 1 : 0,
                       regret.value, place.regret.standard_error(), regret.low, regret.high, place.rank, place.behind.value,
                       place.behind.low, place.behind.high, place.p);
      }
    }
  }
  return csv;
}

std::string standings_csv(std::span<const sim::Result> results, std::span<const Match> matches) {
  std::string csv = "division,policy,ranked,mean_rank,over_best,worst,worst_in,best,as_good,knows_the_law\n";
  for (const Division division : kDivisions) {
    for (const Standing& row : standings(results, matches, division)) {
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{}\n", division == Division::window ? "window" : "none",
                     row.policy, row.ranked ? 1 : 0, row.mean_rank, row.over_best, row.worst, row.worst_in, row.best, row.undecided,
                     needs_the_law(row.policy) ? 1 : 0);
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
    for (std::size_t p = 0; p < results[i].spec->policies.size(); ++p) {
      fmt::format_to(std::back_inserter(csv), "{},{},{},{:.1f}\n", matches[i].problem->name, matches[i].spec->horizon,
                     results[i].spec->policies[p].id, 1e9 * seconds_per_round(results[i], p));
    }
  }
  return csv;
}

std::string verdict(const Standing& row, std::size_t matches) {
  return fmt::format("mean rank {:.1f}, {} times the best's regret on average and {} at worst ({}), best or as good in {} of {} matches",
                     row.mean_rank, times(row.over_best), times(row.worst), row.worst_in, row.best + row.undecided, matches);
}

}  // namespace

std::vector<std::string> advice(std::span<const sim::Result> results, std::span<const Match> matches) {
  const auto window = standings(results, matches, Division::window), none = standings(results, matches, Division::no_window);
  const auto first = std::ranges::find_if(window, [](const Standing& row) { return row.ranked && needs_the_law(row.policy); });
  const auto blind = std::ranges::find_if(window, [](const Standing& row) { return row.ranked && !needs_the_law(row.policy); });
  const auto second = std::ranges::find_if(first + 1, window.end(), [](const Standing& row) { return row.ranked; });
  return {
      fmt::format("If you know the law of the delays, play `{}`: {}; next is `{}` ({} times the best's regret).", first->policy,
                  verdict(*first, results.size()), second->policy, times(second->over_best)),
      fmt::format("If you do not know it, play `{}`: {}.", blind->policy, verdict(*blind, results.size())),
      fmt::format("If you never give up waiting for a conversion, play `{}`: {}; `{}` comes last.", none.front().policy,
                  verdict(none.front(), results.size()),
                  std::ranges::find_if(none.rbegin(), none.rend(), [](const Standing& row) { return row.ranked; })->policy),
  };
}

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
    report::Columns columns{.align = {left, right, right, right, right, right, left, right}, .rows = {kStandingHeading}, .highlight = {1}};
    columns.rows.front().emplace_back("time/round");
    const auto table = standings(results, matches, division);
    for (auto row : standing_rows(table)) {
      double seconds = 0;
      for (const sim::Result& result : results) {
        const auto policy = static_cast<std::size_t>(std::ranges::find(result.spec->policies, row.front(), &sim::Policy::id) -
                                                     result.spec->policies.begin());
        seconds += seconds_per_round(result, policy) / static_cast<double>(results.size());
      }
      row.push_back(report::duration_text(seconds));
      columns.rows.push_back(std::move(row));
    }
    text += style.bold(fmt::format("{}, {} matches", words(division), results.size())) + "\n" + columns.text(style) + "\n";
  }
  for (const std::string& sentence : advice(results, matches)) text += sentence + "\n";
  return text;
}

}  // namespace dbandit::study
