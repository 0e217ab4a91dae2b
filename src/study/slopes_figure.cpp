#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "report/ink.hpp"
#include "report/read_csv.hpp"
#include "study/slopes.hpp"

namespace dbandit::study {

using report::plot_data;
using report::plot_text;

std::vector<GrowthLine> read_growth_lines(const std::filesystem::path& folder) {
  std::vector<GrowthLine> lines;
  report::read_csv(folder / "slopes.csv", kSlopesHeading, [&](const report::Cells& cells, const std::string& where) {
    const auto number = [&](std::size_t cell) { return report::csv_number(cells[cell], where); };
    const double epsilon = number(2);
    if (lines.empty() || lines.back().problem != cells[0] || lines.back().policy != cells[1] || lines.back().epsilon != epsilon) {
      lines.push_back({.problem = std::string(cells[0]),
                       .policy = std::string(cells[1]),
                       .epsilon = epsilon,
                       .lower = number(8),
                       .limit = number(9),
                       .rounds = {static_cast<std::int64_t>(number(3))},
                       .growth = {}});
    }
    lines.back().rounds.push_back(static_cast<std::int64_t>(number(4)));
    lines.back().growth.push_back({number(5), number(6), number(7)});
  });
  if (lines.empty()) throw UserError(fmt::format("'{}': has no rows", (folder / "slopes.csv").string()));
  return lines;
}

report::Drawing slopes_drawing(std::vector<GrowthLine> lines_of_all) {
  std::vector<std::pair<std::string, std::vector<GrowthLine>>> panels;
  for (GrowthLine& line : lines_of_all) {
    if (panels.empty() || panels.back().first != line.problem) panels.emplace_back(line.problem, std::vector<GrowthLine>{});
    panels.back().second.push_back(std::move(line));
  }
  constexpr std::size_t across = 3;
  const std::size_t down = (panels.size() + across - 1) / across;
  std::string script = R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set grid lt 1 lc rgb '#e4e4e4' lw 0.7
set logscale x
set format x '10^{%L}'
set yrange [0:3]
set key below center noenhanced Left reverse samplen 2.5
set bmargin 10
)";
  script += fmt::format("set multiplot layout {},{} title {} noenhanced font ',17'\n", down, across,
                        plot_text("Growth of regret per ln T over the policy's own limit, decade by decade"));
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const auto& [problem, lines] = panels[p];
    std::vector<std::string> layers{"1 with lines lw 1.5 dt (8,6) lc rgb '#444444' title 'the limit for T → ∞, no bound before'"};
    std::vector<std::string> policies;
    for (const GrowthLine& line : lines) policies.push_back(line.policy);
    const std::vector<report::Ink> look = report::inks(policies);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const GrowthLine& line = lines[i];
      std::vector<std::vector<double>> rows;
      for (std::size_t r = 0; r < line.growth.size(); ++r) {
        // A decade stands at its middle; lines a little beside each other, so that bars can be told apart.
        const double middle = std::sqrt(static_cast<double>(line.rounds[r]) * static_cast<double>(line.rounds[r + 1]));
        const Interval over = scaled(line.growth[r], 1 / line.limit);
        rows.push_back({middle * std::pow(1.12, static_cast<double>(i)), over.value, over.low, over.high});
      }
      const std::string name = fmt::format("g{}_{}", p, i);
      const auto& [color, mark, dash] = look[i];
      script += plot_data(name, rows);
      layers.push_back(fmt::format("${} using 1:2:3:4 with yerrorbars lw 1.3 pt -1 lc rgb '{}' notitle", name, color));
      layers.push_back(fmt::format("${} using 1:2 with linespoints lw 2.2 dt {} pt {} ps 1 lc rgb '{}' title {}", name, dash, mark, color,
                                   plot_text(line.policy)));
    }
    script +=
        fmt::format("set title {} noenhanced font ',13'\nset xlabel 'T'\nplot {}\n", plot_text(problem), fmt::join(layers, ", \\\n     "));
  }
  return {.script = script + "unset multiplot\n", .width = 1380, .height = static_cast<int>(470 * down)};
}

}  // namespace dbandit::study
