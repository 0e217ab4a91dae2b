#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dbandit/core/error.hpp"
#include "report/read_csv.hpp"
#include "study/league.hpp"

namespace dbandit::study {
namespace {

namespace fs = std::filesystem;
using report::Cells;
using report::entry;
using report::PageSection;

/// A division's page so far, and the numbers of its problems.
struct Half {
  PageSection section;
  std::vector<std::string> problems;
};

void add_row(Half& half, const Cells& cells, const std::string& where) {
  const auto number = [&](std::size_t i) { return report::csv_number(cells[i], where); };
  if (std::ranges::find(half.problems, cells[0]) == half.problems.end()) half.problems.emplace_back(cells[0]);
  const auto x = static_cast<double>(std::ranges::find(half.problems, cells[0]) - half.problems.begin() + 1);
  const double regret = number(5), best = regret - number(10);
  auto& slice = entry(half.section.slices, &PageSection::Slice::name, "T = " + std::string(cells[1]));
  const auto add = [&](const char* measure, double mean, double low, double high) {
    auto& curves = entry(slice.measures, &report::StoredMeasure::name, measure).curves;
    const bool bounded = std::isfinite(low) && std::isfinite(high);
    entry(curves, &report::StoredCurve::policy, cells[3]).mean.push_back({x, mean, bounded ? low : mean, bounded ? high : mean});
  };
  add("regret over the best's", regret / best, 1 + number(11) / best, 1 + number(12) / best);
  add("regret", regret, number(7), number(8));
  if (number(4) != 0) {
    const std::string match = fmt::format("{}, T = {}", cells[0], cells[1]);
    entry(half.section.cells, &PageSection::Cell::name, match)
        .pairs.push_back({.a = std::string(cells[3]), .b = {}, .mean = number(10), .low = number(11), .high = number(12)});
  }
  auto& policies = half.section.policies;
  if (std::ranges::find(policies, cells[3], &PageSection::Policy::name) == policies.end()) {
    policies.push_back({.name = std::string(cells[3]),
                        .setting = cells[2] == "window" ? "censored" : "uncensored",
                        .final_quantiles = {},
                        .best_share = {}});
  }
}

/// Every difference of a match is to its best policy, the one that is not behind; it has none to itself.
void name_the_best(PageSection::Cell& cell) {
  const auto best = std::ranges::min_element(cell.pairs, {}, [](const PageSection::Pair& pair) { return std::abs(pair.mean); });
  const std::string name = best->a;
  cell.pairs.erase(best);
  for (PageSection::Pair& pair : cell.pairs) pair.b = name;
}

}  // namespace

std::vector<PageSection> read_league_sections(const fs::path& folder) {
  std::vector<Half> halves(2);
  report::read_csv(folder / "league.csv", kLeagueHeading, [&](const Cells& cells, const std::string& where) {
    if (cells[2] != "window" && cells[2] != "none") throw UserError(where + ": is not a row of a league");
    add_row(halves[cells[2] == "window" ? 0 : 1], cells, where);
  });
  std::vector<PageSection> sections;
  for (Half& half : halves) {
    if (half.problems.empty()) continue;
    PageSection& section = half.section;
    section.name = fmt::format("{}, {} a window", folder.lexically_normal().generic_string(), &half == &halves[0] ? "with" : "without");
    section.time = false;
    std::ranges::for_each(section.cells, name_the_best);
    section.x_name = "problem";
    for (std::size_t i = 0; i < half.problems.size(); ++i) section.problem.emplace_back(std::to_string(i + 1), half.problems[i]);
    section.provenance = report::read_provenance(folder / "manifest.json");
    section.spec = report::read_text(folder / "README.md");
    section.command = "dbandit league --out again";
    sections.push_back(std::move(section));
  }
  if (sections.empty()) throw UserError(fmt::format("'{}': holds no matches", (folder / "league.csv").string()));
  return sections;
}

}  // namespace dbandit::study
