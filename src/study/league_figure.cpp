#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ink.hpp"
#include "study/league.hpp"

namespace dbandit::study {
namespace {

using report::ink;
using report::plot_data;
using report::plot_text;

struct Box {
  double left, right, bottom, top;
};

std::string margins(const Box& box) {
  return fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen {}\n", box.left,
                     box.right, box.bottom, box.top);
}

/// One division: on the left the geometric mean of regret over the best's with its bootstrap interval over the problems; on the right a
/// grey dot per problem and horizon, and the 99 % quantile over the best's mean.
std::string panels(std::span<const Unit> units, Division division, double bottom, double top) {
  const std::vector<Standing> table = standings(units);
  const std::string tag(division == Division::window ? "w" : "n");
  std::vector<std::vector<double>> means, tails, dots;
  std::string tics, blank;
  double least = 1;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double y = -static_cast<double>(i);
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", plot_text(table[i].policy), y);
    blank += fmt::format("{}'' {}", i == 0 ? "" : ", ", y);
    means.push_back({table[i].over_best.value, y, table[i].over_best.low, table[i].over_best.high});
    if (std::isfinite(table[i].p99)) tails.push_back({table[i].p99, y});
    for (const Unit& unit : units) {
      for (std::size_t h = 0; h < unit.places.size(); ++h) {
        const double ratio = unit.find(h, table[i].policy)->over_best;
        least = std::min(least, ratio);
        dots.push_back({ratio, y});
      }
    }
  }
  if (tails.empty()) tails.push_back({1, 10});  // outside: gnuplot refuses a block without points
  return plot_data("means_" + tag, means) + plot_data("tails_" + tag, tails) + plot_data("dots_" + tag, dots) +
         fmt::format(R"(set ytics ({0}) scale 0 noenhanced
set yrange [{1}:0.6]
set grid y lc rgb '#e4e4e4' lt 1 lw 1
{2}set title {3} noenhanced font ',14'
set xlabel 'geometric mean, 95 % interval over the problems'
set logscale x
set xtics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
set xrange [{9}:*]
plot $means_{4} using 1:2:3:4 with xerrorbars pt 7 ps 1 lw 2 lc rgb '{5}' notitle
set ytics ({8}) scale 0
{6}set title 'the same, problem by problem' font ',14'
set xlabel 'a dot per problem and T; diamond: p99 over best''s mean'
plot $dots_{4} using 1:2 with points pt 7 ps 0.45 lc rgb '#b0b0b0' notitle, \
     $tails_{4} using 1:2 with points pt 13 ps 1.6 lc rgb '{7}' notitle
)",
                     tics, -static_cast<double>(table.size()) + 0.4, margins({0.23, 0.58, bottom, top}),
                     plot_text(fmt::format("{}: regret over the best ranked policy's", words(division))), tag, ink(0).color,
                     margins({0.62, 0.97, bottom, top}), ink(1).color, blank, 0.85 * least);
}

}  // namespace

report::Drawing league_drawing(std::span<const sim::Result> results, std::span<const Match> matches) {
  const std::vector<Unit> window = units(results, matches, Division::window), none = units(results, matches, Division::no_window);
  const auto large = static_cast<double>(standings(window).size()), small = static_cast<double>(standings(none).size());
  // Both divisions have the same height per policy; 130 pixels each go to titles and axes.
  const double row = 26, edge = 130, height = row * (large + small) + 2 * edge + 50;
  const double first_bottom = (row * small + edge + 75) / height, first_top = first_bottom + row * large / height;
  const double second_bottom = 75 / height, second_top = second_bottom + row * small / height;
  std::string script = R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set multiplot title 'League: every policy on the same problems' font ',17'
)";
  script += panels(window, Division::window, first_bottom, first_top);
  script += panels(none, Division::no_window, second_bottom, second_top);
  script += "unset multiplot\n";
  return {.script = std::move(script), .width = 1180, .height = static_cast<int>(height)};
}

}  // namespace dbandit::study
