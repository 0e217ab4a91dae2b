#include "report/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "dbandit/model/bounds.hpp"
#include "dbandit/policy/catalogue.hpp"

namespace dbandit::report {
namespace {

struct MeasureText {
  std::string_view measure, words;
};
constexpr std::array<MeasureText, 3> kMeasureTexts{{
    {"regret", "regret (conversions lost, as visible by then)"},
    {"pseudo_regret", "pseudo-regret (conversions lost, seen or not)"},
    {"realised_regret", "realised regret (conversions fewer than the best arm's)"},
}};

bool is_censored(const StoredCurves& result, const std::string& policy) {
  const policy::Entry* entry = policy::find(policy);
  const bool window = !result.spec || (*result.spec)->censor;
  return window && (entry == nullptr || entry->setting != policy::Setting::uncensored);
}

/// "geometric delays, mean 500 rounds".
std::string delays_phrase(const model::Delays& delays) {
  if (!delays.common()) return "delays " + model::short_delays_text(delays);
  const std::string text = model::to_text(delays[0]);
  return fmt::format("{} delays, mean {} rounds", text.substr(0, text.find(':')), model::mean(delays[0]));
}

bool is_klucb(const std::string& policy) {
  const policy::Entry* entry = policy::find(policy);
  return entry != nullptr && entry->index == model::IndexForm::klucb;
}

/// A way to part the curves in two.
struct Divide {
  bool (*second)(const StoredCurves&, const std::string& policy);
  std::array<std::string_view, 2> titles;
  std::size_t least;  ///< curves on either side for the divide to be worth it
};
constexpr std::array<Divide, 2> kDivides{{
    {[](const StoredCurves& result, const std::string& policy) { return !is_censored(result, policy); },
     {"censored: conversions later than the window are lost", "uncensored: every conversion is seen in the end"},
     1},
    {[](const StoredCurves&, const std::string& policy) { return is_klucb(policy); }, {"UCB index", "KL-UCB index"}, 2},
}};

const Divide* divide(std::span<const StoredCurves> results) {
  for (const Divide& candidate : kDivides) {
    std::array<std::size_t, 2> sides{};
    for (const StoredCurves& result : results) {
      for (const StoredCurve& curve : result.policies) ++sides[candidate.second(result, curve.policy) ? 1 : 0];
    }
    if (*std::ranges::min_element(sides) >= candidate.least) return &candidate;
  }
  return nullptr;
}

double lower_bound(const StoredCurves& result, const std::string& policy) {
  if (!result.spec) return 0;
  const sim::Spec& spec = *result.spec;
  return model::slopes(spec.problem(), is_censored(result, policy) ? spec->censor : model::Window{}, spec->epsilon).lower;
}

/// What tells the folders apart: their paths without the parents that all have in common.
std::vector<std::string> short_names(std::span<const StoredCurves> results) {
  std::vector<std::string> names;
  for (const StoredCurves& result : results) names.push_back(result.name);
  const auto parent = [](const std::string& name) { return name.substr(0, name.find('/') + 1); };
  while (!parent(names[0]).empty() && std::ranges::all_of(names, [&](const auto& name) { return parent(name) == parent(names[0]); })) {
    const std::size_t length = parent(names[0]).size();
    for (std::string& name : names) name.erase(0, length);
  }
  return names;
}

/// Of the horizon and of all curves, bands included.
struct Extent {
  double t = 1, low = 0, high = 0;
};
Extent extent(const RegretFigure& figure) {
  Extent most;
  const auto include = [&](const auto& point) {
    most = {std::max(most.t, point.t), std::min(most.low, point.low), std::max(most.high, point.high)};
  };
  for (const RegretPanel& panel : figure.panels) {
    for (const StoredCurve& curve : panel.curves) {
      std::ranges::for_each(curve.mean, include);
      std::ranges::for_each(curve.band, include);
    }
  }
  return most;
}

/// Where logarithmic time begins: before that nobody can have learned, and there is nothing to see.
double first_shown(double horizon) { return std::max(1.0, horizon / 1000); }

/// The points nearest to where a mark should be, evenly over the axis.
std::vector<std::vector<double>> marks(const StoredCurve& curve, bool log_time, std::size_t shift) {
  constexpr int count = 9;
  const double end = curve.mean.back().t, start = first_shown(end);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < count; ++i) {
    const double share = (i + 0.35 + 0.3 * static_cast<double>(shift % 3)) / count;
    const double wanted = log_time ? start * std::pow(end / start, share) : end * share;
    const auto nearest = std::ranges::min_element(curve.mean, {}, [&](const auto& point) { return std::abs(point.t - wanted); });
    if (rows.empty() || rows.back()[0] != nearest->t) rows.push_back({nearest->t, nearest->mean});
  }
  return rows;
}

/// bound · ln t, moved so that it leaves the lowest curve at a fifth of the horizon: from there on curve and line can be
/// compared by their slopes, which is all that the theorems speak of.
std::vector<std::vector<double>> anchored_slope(const RegretPanel& panel) {
  const auto lowest = std::ranges::min_element(panel.curves, {}, [](const StoredCurve& curve) { return curve.mean.back().mean; });
  const double end = lowest->mean.back().t;
  const auto anchor = std::ranges::find_if(lowest->mean, [&](const auto& point) { return point.t >= end / 5; });
  constexpr int steps = 40;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i <= steps; ++i) {
    const double ln = std::log(end / anchor->t) * i / steps;
    rows.push_back({anchor->t * std::exp(ln), anchor->mean + panel.bound * ln});
  }
  return rows;
}

std::string panel_script(const RegretPanel& panel, std::size_t id, bool log_time, bool with_key) {
  std::string data;
  std::vector<std::string> bands, intervals, lines, points;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const StoredCurve& curve = panel.curves[i];
    const auto& [color, mark] = ink(i);
    const std::string name = fmt::format("p{}c{}{}", id, i, log_time ? "g" : "l");
    std::vector<std::vector<double>> mean, band;
    for (const auto& point : curve.mean) mean.push_back({point.t, point.mean, point.low, point.high});
    for (const auto& point : curve.band) band.push_back({point.t, point.low, point.high});
    data += plot_data(name, mean) + plot_data(name + "m", marks(curve, log_time, i));
    if (!band.empty()) {
      data += plot_data(name + "b", band);
      bands.push_back(
          fmt::format("${}b using 1:2:3 with filledcurves fs transparent solid 0.16 noborder lc rgb '{}' notitle", name, color));
      for (const int edge : {2, 3})
        bands.push_back(fmt::format("${}b using 1:{} with lines lw 0.6 lc rgb '#80{}' notitle", name, edge, color.substr(1)));
    }
    intervals.push_back(
        fmt::format("${} using 1:3:4 with filledcurves fs transparent solid 0.45 noborder lc rgb '{}' notitle", name, color));
    lines.push_back(fmt::format("${} using 1:2 with lines lw 2.2 lc rgb '{}' notitle", name, color));
    points.push_back(fmt::format("${}m using 1:2 with points pt {} ps 1.1 lc rgb '{}' notitle", name, mark, color));
    if (with_key)
      points.push_back(fmt::format("NaN with linespoints lw 2.2 pt {} ps 1.1 lc rgb '{}' title {}", mark, color, plot_text(curve.policy)));
  }
  if (panel.bound > 0) {
    const std::string name = fmt::format("p{}s{}", id, log_time ? "g" : "l");
    data += plot_data(name, anchored_slope(panel));
    points.push_back(
        fmt::format("${} using 1:2 with lines lw 2 dt (8,6) lc rgb '#000000' {}", name,
                    with_key ? "title " + plot_text(fmt::format("slope of the lower bound: {:.2f} per ln t", panel.bound)) : "notitle"));
  }
  std::vector<std::string> layers;
  for (auto* layer : {&bands, &intervals, &lines, &points}) layers.insert(layers.end(), layer->begin(), layer->end());
  return data + fmt::format("plot {}\n", fmt::join(layers, ", \\\n     "));
}

}  // namespace

std::string problem_text(const sim::Spec& spec) {
  const std::string window = spec->censor ? fmt::format(", window {} rounds", *spec->censor) : "";
  return fmt::format("conversion rates {}; {}{}", fmt::join(spec->theta, ", "), delays_phrase(spec->delay), window);
}

RegretFigure regret_figure(std::span<const StoredCurves> results, std::string_view measure) {
  RegretFigure figure;
  const auto* text = std::ranges::find(kMeasureTexts, measure, &MeasureText::measure);
  figure.quantity = text != kMeasureTexts.end() ? text->words : measure;
  figure.caption = "line: mean";
  const Divide* const parted = divide(results);
  figure.panels.resize(parted != nullptr ? 2 : 1);
  for (std::size_t side = 0; parted != nullptr && side < 2; ++side) figure.panels[side].title = parted->titles[side];

  const std::vector<std::string> names = short_names(results);
  bool has_band = false, same_bound = true;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const StoredCurves& result = results[r];
    for (StoredCurve curve : result.policies) {
      RegretPanel& panel = figure.panels[parted != nullptr && parted->second(result, curve.policy) ? 1 : 0];
      const double bound = measure == kMeasureTexts[0].measure ? lower_bound(result, curve.policy) : 0;
      same_bound = same_bound && (panel.curves.empty() || panel.bound == bound);
      panel.bound = bound;
      has_band = has_band || !curve.band.empty();
      if (results.size() > 1) curve.policy = names[r] + ": " + curve.policy;
      panel.curves.push_back(std::move(curve));
    }
  }
  if (results.size() == 1 && results[0].spec) {
    figure.title = problem_text(*results[0].spec);
    figure.caption += fmt::format(" over {} replicas", (*results[0].spec)->replicas);
  } else {
    figure.title = fmt::format("{}", fmt::join(names, ", "));
  }
  figure.caption += ", with its 95 % interval";
  if (has_band) figure.caption += " · shade: 10 % to 90 % of the replicas";
  if (!same_bound) {  // problems or settings are mixed: there is no one bound
    for (RegretPanel& panel : figure.panels) panel.bound = 0;
  }
  if (std::ranges::any_of(figure.panels, [](const RegretPanel& panel) { return panel.bound > 0; }))
    figure.caption += " · dashed: slope of the lower bound, from T/5 on";
  return figure;
}

Drawing regret_drawing(const RegretFigure& figure) {
  const auto [horizon, low, high] = extent(figure);
  const bool alone = figure.panels.size() == 1;
  Drawing drawing{.script = {}, .width = 1280, .height = alone ? 560 : 960};
  drawing.script = fmt::format(R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set grid lt 1 lc rgb '#e4e4e4' lw 0.7
set key top left reverse Left noenhanced samplen 2.5 spacing 1.15
set yrange [{}:{}]
set multiplot title {} noenhanced font ',17'
set label 1 {} at screen 0.5, screen {} center noenhanced font ',11' tc rgb '#444444'
)",
                               low < 0 ? low * 1.1 : 0,
                               high > 0  ? high * 1.1
                               : low < 0 ? 0
                                         : 1,
                               plot_text(figure.title), plot_text(figure.caption), alone ? 0.025 : 0.015);
  const double top = alone ? 0.86 : 0.9, bottom = alone ? 0.17 : 0.09, row_gap = 0.1;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    for (const bool log_time : {false, true}) {
      const bool right = alone ? log_time : p == 1, below = !alone && log_time;
      const double height = alone ? top - bottom : (top - bottom - row_gap) / 2;
      const double upper = below ? bottom + height : top;
      drawing.script +=
          fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen {}\n",
                      right ? 0.565 : 0.07, right ? 0.98 : 0.485, upper, upper - height);
      drawing.script += log_time ? fmt::format("set logscale x\nset xrange [{}:{}]\nset xlabel 'round, logarithmic'\nset format x '%h'\n",
                                               first_shown(horizon), std::max(horizon, 2.0))  // an axis from 1 to 1 is none
                                 : fmt::format("unset logscale x\nset xrange [0:{}]\nset xlabel 'round'\nset format x '%h'\n", horizon);
      drawing.script += right ? "unset ylabel\n" : fmt::format("set ylabel {} noenhanced\n", plot_text(figure.quantity));
      drawing.script += log_time || figure.panels[p].title.empty()
                            ? "unset title\n"
                            : fmt::format("set title {} noenhanced font ',14'\n", plot_text(figure.panels[p].title));
      drawing.script += panel_script(figure.panels[p], p, log_time, log_time);
      drawing.script += "unset label 1\n";
    }
  }
  drawing.script += "unset multiplot\n";
  return drawing;
}

}  // namespace dbandit::report
