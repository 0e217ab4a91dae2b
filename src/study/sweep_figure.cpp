#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "report/figure.hpp"
#include "report/ink.hpp"
#include "sim/sums.hpp"
#include "study/sweep.hpp"

namespace dbandit::study {
namespace {

using report::Drawing;
using report::ink;
using report::plot_data;
using report::plot_text;

bool varies(const Sweep& sweep, std::initializer_list<std::string_view> knobs) {
  return std::ranges::any_of(sweep.axes, [&](const Axis& axis) { return std::ranges::find(knobs, axis.knob->name) != knobs.end(); });
}

/// What all cells have in common.
std::string title(const Sweep& sweep) {
  const sim::Spec& spec = sweep.cells.front().spec;
  std::vector<std::string> parts;
  if (!varies(sweep, {"scale", "best", "gap", "relative-gap", "arms"}))
    parts.push_back(fmt::format("conversion rates {}", fmt::join(spec->theta, ", ")));
  else if (!varies(sweep, {"arms", "scale"}))
    parts.push_back(fmt::format("{} arms, one better than the others", spec->theta.size()));
  if (!varies(sweep, {"mean-delay"})) parts.push_back(fmt::format("mean delay {} rounds", model::average_mean(spec->delay)));
  if (!varies(sweep, {"censor"}) && spec->censor) parts.push_back(fmt::format("window {} rounds", *spec->censor));
  if (!varies(sweep, {"horizon"})) parts.push_back(fmt::format("T = {}", spec->horizon));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// Heights in pixels: the title's lines, what stands below the axes.
constexpr double kTitleLine = 28, kKeyLine = 20, kCaptionLine = 18;
/// About, of a character.
constexpr std::size_t kTitleCharacter = 12, kCaptionCharacter = 8;

/// Title and caption on as many lines as they need.
struct Head {
  std::vector<std::string> title, caption;
  Head(const Sweep& sweep, std::string_view words, int width)
      : title(report::wrapped(study::title(sweep), static_cast<std::size_t>(width) / kTitleCharacter)),
        caption(report::wrapped(words, static_cast<std::size_t>(width) / kCaptionCharacter)) {}
  [[nodiscard]] double above() const { return 18 + kTitleLine * static_cast<double>(title.size()); }
  [[nodiscard]] double below() const { return 14 + kCaptionLine * static_cast<double>(caption.size()); }

  [[nodiscard]] std::string script(int height) const {
    std::string text = fmt::format(R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set multiplot title {} noenhanced font ',17'
)",
                                   plot_text(title.front()));
    for (std::size_t line = 1; line < title.size(); ++line) {
      text += fmt::format("set label {} at screen 0.5, screen {} center noenhanced font ',17'\n", plot_text(title[line]),
                          1 - (18 + kTitleLine * static_cast<double>(line)) / height);
    }
    for (std::size_t line = 0; line < caption.size(); ++line) {
      text += fmt::format("set label {} at screen 0.5, screen {} center noenhanced font ',11' tc rgb '#444444'\n", plot_text(caption[line]),
                          (14 + kCaptionLine * static_cast<double>(caption.size() - 1 - line)) / height);
    }
    return text;
  }
};

struct LinePanel {
  std::string_view title;
  std::string_view quantity;
  /// Mean and half-width for policy p in a cell.
  std::pair<double, double> (*value)(const sim::Result&, std::size_t policy);
  std::size_t first_policy;
};

std::pair<double, double> mean_and_half(const stats::Moments& moments) { return {moments.mean, stats::half_width_95(moments)}; }

constexpr LinePanel kLinePanels[] = {
    {"regret", "conversions lost, as visible at T",
     [](const sim::Result& result, std::size_t p) { return mean_and_half(result.stats.policies[p].regret.back()); }, 0},
    {"pseudo-regret", "conversions lost, seen or not",
     [](const sim::Result& result, std::size_t p) { return mean_and_half(result.stats.policies[p].pseudo_regret.back()); }, 0},
    {"regret beyond that of ", "paired difference at T",
     [](const sim::Result& result, std::size_t p) {
       const auto [mean, half] = mean_and_half(result.stats.paired[sim::pair_index(0, p, result.spec->policies.size())]);
       return std::pair{-mean, half};
     },
     1},
};

/// A little room at both ends; around a single value, which has no width of its own, as much as is.
std::string x_range(const Axis& axis, bool logarithmic) {
  const auto [low, high] = std::ranges::minmax(axis.values);
  if (logarithmic) {
    const double room = high > low ? std::pow(high / low, 0.03) : 2;
    return fmt::format("set logscale x\nset xrange [{}:{}]\n", low / room, high * room);
  }
  const double room = high > low ? 0.03 * (high - low) : std::max(0.5, std::abs(low) / 2);
  return fmt::format("set xrange [{}:{}]\n", low - room, high + room);
}

Drawing lines(const Sweep& sweep, bool logarithmic) {
  const Axis& axis = sweep.axes.front();
  const std::vector<std::string> policies = sweep.cells.front().spec.ids();
  const std::vector<report::Ink> look = report::inks(policies);
  const std::size_t panels = policies.size() > 1 ? 3 : 2;
  const int width = panels == 3 ? 1440 : 1080;
  const Head head(sweep,
                  fmt::format("bars: 95 % interval over {}; all cells and policies meet the same worlds",
                              counted(sweep.cells.front().spec->replicas, "replica")),
                  width);
  // The key stands below the axes: in one column, since gnuplot folds a row to the width of a panel.
  const double key = kKeyLine * static_cast<double>(policies.size());
  const double top = head.above() + 34, bottom = head.below() + key + 64;
  const int height = static_cast<int>(top + bottom) + 350;
  std::string script = head.script(height);
  script += fmt::format(
      "set grid lt 1 lc rgb '#e4e4e4' lw 0.7\nset key at screen 0.5, screen {} center top vertical noenhanced Left reverse samplen 2.5\n",
      (head.below() + key) / height);
  script += fmt::format("set xlabel {} noenhanced\nset format x '%h'\n",
                        plot_text(std::string(axis.knob->words) + (logarithmic ? ", logarithmic" : "")));
  script += x_range(axis, logarithmic);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const LinePanel& shown = kLinePanels[panel];
    const double share = 1.0 / static_cast<double>(panels);
    script += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen {}\n",
                          share * static_cast<double>(panel) + 0.058, share * static_cast<double>(panel + 1) - 0.012, 1 - top / height,
                          bottom / height);
    script += fmt::format("set title {} noenhanced font ',14'\nset ylabel {} noenhanced\n",
                          plot_text(std::string(shown.title) + (shown.first_policy > 0 ? policies[0] : "")), plot_text(shown.quantity));
    script += shown.first_policy == 0 ? "set yrange [* < 0:*]\n" : "set yrange [*:*]\n";
    std::vector<std::string> layers;
    if (shown.first_policy > 0)
      layers.push_back(fmt::format("0 with lines lw 1.5 dt (8,6) lc rgb '{}' title {}", look[0].color, plot_text(policies[0])));
    for (std::size_t p = shown.first_policy; p < policies.size(); ++p) {
      const std::string name = fmt::format("s{}p{}", panel, p);
      std::vector<std::vector<double>> rows;
      for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
        const auto [mean, half] = shown.value(sweep.results[c], p);
        rows.push_back({sweep.cells[c].at[0], mean, mean - half, mean + half});
      }
      std::ranges::sort(rows);
      script += plot_data(name, rows);
      const auto& [color, mark, dash] = look[p];
      layers.push_back(fmt::format("${} using 1:2:3:4 with yerrorbars lw 1.3 pt -1 lc rgb '{}' notitle", name, color));
      layers.push_back(fmt::format("${} using 1:2 with linespoints lw 2.2 dt {} pt {} ps 1.1 lc rgb '{}' title {}", name, dash, mark, color,
                                   plot_text(policies[p])));
    }
    script += fmt::format("plot {}\nunset label\nunset key\n", fmt::join(layers, ", \\\n     "));
  }
  return {.script = script + "unset multiplot\n", .width = width, .height = height};
}

/// A share of the way from white to the ink.
int tint(std::string_view color, double share) {
  int shade = 0;
  for (const std::size_t at : {1U, 3U, 5U}) {
    const double part = parse_hex(color.substr(at, 2)).value_or(0);
    shade = shade * 256 + static_cast<int>(std::lround(255 + (part - 255) * share));
  }
  return shade;
}

std::string tics(const Axis& axis) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < axis.values.size(); ++i) labels.push_back(fmt::format("'{:.3g}' {}", axis.values[i], i));
  return fmt::format("({})", fmt::join(labels, ", "));
}

struct Look {
  int color;
  std::string words;
};

/// The winner's letter and ink, the deeper the further the next one is behind: a tenth is visible, five times the regret is the
/// deepest shade.
Look look_of_winner(const Winner& best, const std::vector<std::string>& policies) {
  if (!best.certain) return {tint(ink(7).color, 0.12), std::string(1, '=')};
  return {tint(ink(report::ink_place(policies[best.policy])).color, 0.15 + 0.6 * std::min(1.0, std::log1p(best.margin) / std::log(5.0))),
          fmt::format("{} {:.0f}", static_cast<char>('A' + best.policy % 26), 100 * best.margin)};
}

Drawing map(const Sweep& sweep) {
  const std::vector<std::string> policies = sweep.cells.front().spec.ids();
  const auto &across = sweep.axes[0].values, &up = sweep.axes[1].values;
  const auto regret = [](const sim::Result& result) { return result.stats.policies[0].regret.back().mean; };
  double most = 0;
  for (const sim::Result& result : sweep.results) most = std::max(most, regret(result));
  std::vector<std::vector<double>> boxes;
  std::string labels;
  for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
    const sim::Result& result = sweep.results[c];
    const std::size_t column = c / up.size(), row = c % up.size();
    const auto x = static_cast<double>(column), y = static_cast<double>(row);
    const Look look = policies.size() > 1 ? look_of_winner(winner(result), policies)
                                          : Look{tint(ink(0).color, most > 0 ? 0.1 + 0.6 * regret(result) / most : 0.1),
                                                 fmt::format("{:.3g}", regret(result))};
    boxes.push_back({x, y, static_cast<double>(look.color)});
    labels +=
        fmt::format("set label {} at {},{} center front noenhanced font ',{}'\n", plot_text(look.words), x, y, across.size() > 12 ? 9 : 12);
  }
  std::string legend = policies.size() == 1 ? fmt::format("mean regret of {}", policies[0]) : "least regret at T: ";
  for (std::size_t p = 0; policies.size() > 1 && p < policies.size(); ++p)
    legend += fmt::format("  {} = {}", static_cast<char>('A' + p % 26), policies[p]);
  const std::string_view number = policies.size() > 1 ? "number: by how many percent the next one is behind; =: within chance · " : "";
  constexpr int kWidth = 1080;
  const Head head(sweep,
                  fmt::format("{}{} of each cell, all in the same worlds", number, counted(sweep.cells.front().spec->replicas, "replica")),
                  kWidth);
  const std::vector<std::string> key = report::wrapped(legend, kWidth / 9);
  const double above = head.above() + 16 + kKeyLine * static_cast<double>(key.size()), below = head.below() + 72;
  const int height = static_cast<int>(above + below) + 600;
  std::string script = head.script(height);
  for (std::size_t line = 0; line < key.size(); ++line) {
    labels += fmt::format("set label {} at screen 0.5, screen {} center noenhanced font ',13'\n", plot_text(key[line]),
                          1 - (head.above() + 8 + kKeyLine * static_cast<double>(line)) / height);
  }
  script += plot_data("cells", boxes) + labels;
  script +=
      fmt::format(R"(unset key
set border 0
set xlabel {} noenhanced
set ylabel {} noenhanced
set xtics {} scale 0
set ytics {} scale 0
set xrange [-0.5:{}]
set yrange [-0.5:{}]
set lmargin at screen 0.1
set rmargin at screen 0.97
set tmargin at screen {}
set bmargin at screen {}
set style fill solid 1 noborder
plot $cells using 1:2:(0.47):(0.47):3 with boxxyerror lc rgb variable notitle
unset multiplot
)",
                  plot_text(sweep.axes[0].knob->words), plot_text(sweep.axes[1].knob->words), tics(sweep.axes[0]), tics(sweep.axes[1]),
                  static_cast<double>(across.size()) - 0.5, static_cast<double>(up.size()) - 0.5, 1 - above / height, below / height);
  return {.script = std::move(script), .width = kWidth, .height = height};
}

}  // namespace

bool is_logarithmic(const Axis& axis) {
  constexpr double kWide = 15;      // from the least to the largest value
  constexpr double kUneven = 1.25;  // of the steps of a logarithmic grid, which may be rounded to integers
  std::vector<double> values = axis.values;
  std::ranges::sort(values);
  if (values.empty() || values.front() <= 0) return false;
  if (values.back() / values.front() > kWide) return true;
  if (values.size() < 3) return false;
  double least = std::numeric_limits<double>::infinity(), most = 0, narrow = least, wide = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double factor = std::log(values[i] / values[i - 1]), step = values[i] - values[i - 1];
    least = std::min(least, factor), most = std::max(most, factor);
    narrow = std::min(narrow, step), wide = std::max(wide, step);
  }
  return most <= kUneven * least && wide > kUneven * narrow;
}

Drawing sweep_drawing(const Sweep& sweep, std::optional<bool> logarithmic) {
  if (sweep.axes.size() == 2) return map(sweep);
  const Axis& axis = sweep.axes.front();
  return lines(sweep, logarithmic.value_or(is_logarithmic(axis)) && std::ranges::min(axis.values) > 0);
}

}  // namespace dbandit::study
