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

/// One division: on the left mean ranks, each with half the critical difference either side, so that two policies are told apart where
/// their bars do not overlap; on the right regret over the best's, a grey dot per match and the geometric mean on top.
std::string panels(std::span<const sim::Result> results, std::span<const Match> matches, Division division, double bottom, double top) {
  std::vector<Standing> table = standings(results, matches, division);
  const auto ranked = static_cast<std::size_t>(std::ranges::count(table, true, &Standing::ranked));
  const double half = critical_difference(ranked, results.size()) / 2;
  const std::string tag(division == Division::window ? "w" : "n");
  std::vector<std::vector<double>> ranks, means, dots;
  std::string tics, blank;
  double least = 1;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double y = -static_cast<double>(i);
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", plot_text(table[i].policy), y);
    blank += fmt::format("{}'' {}", i == 0 ? "" : ", ", y);
    if (table[i].ranked) ranks.push_back({table[i].mean_rank, y, half});
    means.push_back({table[i].over_best, y});
  }
  for (const sim::Result& result : results) {
    for (const Place& place : places(result, division)) {
      const auto row = std::ranges::find(table, place.policy, &Standing::policy) - table.begin();
      least = std::min(least, place.over_best);
      dots.push_back({place.over_best, -static_cast<double>(row)});
    }
  }
  return plot_data("ranks_" + tag, ranks) + plot_data("means_" + tag, means) + plot_data("dots_" + tag, dots) +
         fmt::format(R"(set ytics ({0}) scale 0 noenhanced
set yrange [{1}:0.6]
set grid y lc rgb '#e4e4e4' lt 1 lw 1
{2}set title {3} noenhanced font ',14'
set xlabel 'mean rank (bars overlap: not told apart, 5 %)'
unset logscale x
set xtics auto
set xrange [{10}:{4}]
plot $ranks_{5} using 1:2:3 with xerrorbars pt 7 ps 1 lw 2 lc rgb '{6}' notitle
set ytics ({9}) scale 0
{7}set title 'regret over the best ranked policy''s' font ',14'
set xlabel 'a dot per match; diamond: geometric mean'
set logscale x
set xrange [{11}:*]
set xtics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
plot $dots_{5} using 1:2 with points pt 7 ps 0.45 lc rgb '#b0b0b0' notitle, \
     $means_{5} using 1:2 with points pt 13 ps 1.6 lc rgb '{8}' notitle
)",
                     tics, -static_cast<double>(table.size()) + 0.4, margins({0.17, 0.56, bottom, top}),
                     plot_text(fmt::format("{}: mean rank of {} policies over {} matches", words(division), ranked, results.size())),
                     static_cast<double>(ranked) + half + 0.5, tag, ink(0).color, margins({0.6, 0.97, bottom, top}), ink(1).color, blank,
                     0.7 - half, 0.85 * least);
}

}  // namespace

report::Drawing league_drawing(std::span<const sim::Result> results, std::span<const Match> matches) {
  const auto count = [&](Division division) { return static_cast<double>(places(results.front(), division).size()); };
  const double large = count(Division::window), small = count(Division::no_window);
  // Both divisions have the same height per policy; 130 pixels each go to titles and axes.
  const double row = 26, edge = 130, height = row * (large + small) + 2 * edge + 50;
  const double first_bottom = (row * small + edge + 75) / height, first_top = first_bottom + row * large / height;
  const double second_bottom = 75 / height, second_top = second_bottom + row * small / height;
  std::string script = R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set multiplot title 'League: every policy on the same problems' font ',17'
)";
  script += panels(results, matches, Division::window, first_bottom, first_top);
  script += panels(results, matches, Division::no_window, second_bottom, second_top);
  script += "unset multiplot\n";
  return {.script = std::move(script), .width = 1180, .height = static_cast<int>(height)};
}

}  // namespace dbandit::study
