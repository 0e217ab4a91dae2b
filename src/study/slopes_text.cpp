#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "report/json_value.hpp"
#include "study/slopes.hpp"

namespace dbandit::study {
namespace {

using report::Json;

std::string power(std::int64_t round) { return fmt::format("10^{}", std::lround(std::log10(static_cast<double>(round)))); }

Interval over_limit(const GrowthLine& line, std::size_t stretch) { return scaled(line.growth[stretch], 1 / line.limit); }

std::optional<Interval> tendency(const GrowthLine& line) {
  const std::size_t n = line.growth.size();
  return n < 3 ? std::nullopt : tends_to(over_limit(line, n - 3), over_limit(line, n - 2), over_limit(line, n - 1));
}

/// "1.14 ± 0.03", which is short enough for a table of decades.
std::string plus_minus(const Interval& interval) {
  return fmt::format("{:.2f} ± {:.2f}", interval.value, (interval.high - interval.low) / 2);
}

/// Nothing where the errors of three decades leave no more than a guess.
std::string tendency_text(const GrowthLine& line) {
  const auto limit = tendency(line);
  return limit && limit->high - limit->low < 2 ? plus_minus(*limit) : "–";
}

/// "27800 [22300, 53100]", to three digits.
std::string round_text(const Interval& round) {
  const auto one = [](double value) -> std::string {
    if (value <= 0) return "earlier";
    if (!std::isfinite(value)) return "later";
    const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  };
  return fmt::format("{} [{}, {}]", one(round.value), one(round.low), one(round.high));
}

/// The decades of the longest line; shorter ones end earlier.
std::vector<std::int64_t> all_rounds(std::span<const GrowthLine> lines) {
  std::vector<std::int64_t> rounds;
  for (const GrowthLine& line : lines) {
    if (line.rounds.size() > rounds.size()) rounds = line.rounds;
  }
  return rounds;
}

std::vector<std::vector<std::string>> growth_rows(std::span<const GrowthLine> lines) {
  const std::vector<std::int64_t> rounds = all_rounds(lines);
  std::vector<std::vector<std::string>> rows{{"problem", "policy", "bound", "limit"}};
  for (std::size_t i = 0; i + 1 < rounds.size(); ++i) rows[0].push_back("to " + power(rounds[i + 1]));
  rows[0].push_back("tends to");
  for (const GrowthLine& line : lines) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {line.problem, line.policy, fmt::format("{:.3f}", line.lower), fmt::format("{:.3f}", line.limit)};
    for (std::size_t i = 0; i + 1 < rounds.size(); ++i) row.push_back(i < line.growth.size() ? plus_minus(over_limit(line, i)) : "");
    row.push_back(tendency_text(line));
  }
  return rows;
}

std::vector<std::vector<std::string>> remainder_rows(std::span<const Remainder> all) {
  std::vector<std::vector<std::string>> rows{
      {"policy", "mean delay", "window", "regret at T", "beyond the leading term", "more than the row above"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Remainder& one = all[i];
    const bool follows = i > 0 && all[i - 1].policy == one.policy;
    rows.push_back({one.policy, fmt::format("{}", one.mean_delay), one.window ? std::to_string(*one.window) : "none",
                    plus_minus(one.regret), plus_minus(one.beyond), follows ? plus_minus(difference(one.regret, all[i - 1].regret)) : ""});
  }
  return rows;
}

std::string markdown(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[0].size(); ++column) text += "|---";
    text += "|\n";
  }
  return text;
}

std::string columns(std::vector<std::vector<std::string>> rows, std::size_t words, const report::Style& style) {
  report::Columns table{.align = {}, .rows = std::move(rows), .highlight = {}};
  for (std::size_t i = 0; i < table.rows.front().size(); ++i) table.align.push_back(i < words ? report::Align::left : report::Align::right);
  return table.text(style);
}

constexpr std::string_view kGrowthNote =
    "Growth of regret per ln T over the policy's own limit, decade by decade; each replica's own growth, ± a 95 % interval. bound: Theorem "
    "3 or 4. "
    "limit: Theorem 9 for UCB, Σ Δ/d_Pois for Poisson KL-UCB, the bound itself for discard-bernkl; times 1 + ε. tends to: where the last "
    "three decades lead if their steps keep shrinking by the same factor; – where they do not, or "
    "where that is known to within ± 1 only.";

constexpr std::string_view kRemainderNote =
    "T = 100 000, low rates. With a window it is stretched along with the delays (m = 2μ), so that τ_m and the leading term stay as they "
    "are: from row to row only the remainder changes. The paper's bound on it is linear in m.";

std::string crossing_lines(std::span<const Crossing> all) {
  std::string text;
  for (const Crossing& one : all) {
    text += fmt::format("rates 0.5, 0.4, 0.3: {}'s regret exceeds {}'s from T = {} on\n", one.a, one.b, round_text(one.round));
  }
  return text;
}

Json interval_json(const Interval& interval) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"value", number(interval.value)}, {"ci95", {number(interval.low), number(interval.high)}}};
}

}  // namespace

std::string slopes_table(std::span<const SlopeRun> runs, std::span<const sim::Result> results, const report::Style& style) {
  const std::vector<GrowthLine> lines = growth_lines(runs, results);
  const std::vector<Remainder> rest = remainders(runs, results);
  return columns(growth_rows(lines), 2, style) + style.dim(kGrowthNote) + "\n\n" + crossing_lines(crossings(runs, results)) + "\n" +
         columns(remainder_rows(rest), 1, style) + style.dim(kRemainderNote) + "\n";
}

std::string slopes_json(std::span<const SlopeRun> runs, std::span<const sim::Result> results) {
  Json json{{"schema", "dbandit.slopes.v1"}, {"growth", Json::array()}, {"crossings", Json::array()}, {"remainders", Json::array()}};
  for (const GrowthLine& line : growth_lines(runs, results)) {
    Json stretches = Json::array();
    for (std::size_t i = 0; i < line.growth.size(); ++i) {
      stretches.push_back({{"from", line.rounds[i]},
                           {"to", line.rounds[i + 1]},
                           {"growth_per_ln_t", interval_json(line.growth[i])},
                           {"over_limit", interval_json(over_limit(line, i))}});
    }
    const auto limit = tendency(line);
    json["growth"].push_back({{"problem", line.problem},
                              {"policy", line.policy},
                              {"epsilon", line.epsilon},
                              {"lower_bound", line.lower},
                              {"limit", line.limit},
                              {"stretches", std::move(stretches)},
                              {"tends_to", limit ? interval_json(*limit) : Json()}});
  }
  for (const Crossing& one : crossings(runs, results)) {
    json["crossings"].push_back({{"a", one.a}, {"b", one.b}, {"round", interval_json(one.round)}});
  }
  for (const Remainder& one : remainders(runs, results)) {
    json["remainders"].push_back({{"policy", one.policy},
                                  {"mean_delay", one.mean_delay},
                                  {"window", one.window ? Json(*one.window) : Json()},
                                  {"regret", interval_json(one.regret)},
                                  {"beyond", interval_json(one.beyond)}});
  }
  return json.dump(1) + '\n';
}

std::vector<report::File> slopes_files(std::span<const SlopeRun> runs, std::span<const sim::Result> results, std::string_view command) {
  const std::vector<GrowthLine> lines = growth_lines(runs, results);
  const std::vector<Crossing> met = crossings(runs, results);
  const std::vector<Remainder> rest = remainders(runs, results);
  std::string growth = std::string(kSlopesHeading) + '\n';
  for (const GrowthLine& line : lines) {
    for (std::size_t i = 0; i < line.growth.size(); ++i) {
      const Interval& g = line.growth[i];
      growth += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{}\n", line.problem, line.policy, line.epsilon, line.rounds[i],
                            line.rounds[i + 1], g.value, g.low, g.high, line.lower, line.limit);
    }
  }
  std::string differences = "a,b,t,difference,ci_low,ci_high\n";
  for (const Crossing& one : met) {
    for (std::size_t i = 0; i < one.rounds.size(); ++i) {
      const Interval& d = one.difference[i];
      differences += fmt::format("{},{},{},{},{},{}\n", one.a, one.b, one.rounds[i], d.value, d.low, d.high);
    }
  }
  std::string beyond = "policy,mean_delay,window,regret,ci_low,ci_high,beyond_leading_term\n";
  for (const Remainder& one : rest) {
    beyond += fmt::format("{},{},{},{},{},{},{}\n", one.policy, one.mean_delay, one.window ? std::to_string(*one.window) : "",
                          one.regret.value, one.regret.low, one.regret.high, one.beyond.value);
  }
  const std::string page = fmt::format(
      "# Asymptotics, seen\n\nWritten by `{}`; do not edit. Delays are geometric with mean 500 where nothing else is said; low rates: 0.1, "
      "0.05, "
      "0.03; central: 0.5, 0.4, 0.3; one percent: 0.01, 0.005, 0.003. `manifest.json` has the version and what it took.\n\n"
      "## Growth over the limit\n\n{}\n\n{}\n![growth over the limit](figure.svg)\n\n"
      "## Where UCB overtakes Poisson KL-UCB\n\nBisection in T on paired differences, all on the same worlds; the interval is where the "
      "difference's own includes zero. `crossing.csv` has the differences.\n\n{}\n"
      "## What is beyond the leading term\n\n{}\n\n{}",
      command, kGrowthNote, markdown(growth_rows(lines)), crossing_lines(met), kRemainderNote, markdown(remainder_rows(rest)));
  return {{"README.md", page},
          {"slopes.csv", growth},
          {"crossing.csv", differences},
          {"remainder.csv", beyond},
          {"slopes.json", slopes_json(runs, results)}};
}

}  // namespace dbandit::study
