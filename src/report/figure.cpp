#include "report/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/model/bounds.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "report/ink.hpp"

namespace dbandit::report {
namespace {

struct MeasureText {
  std::string_view measure, words;
};
constexpr std::array<MeasureText, 3> kMeasureTexts{{
    {"regret", "regret: conversions lost so far"},
    {"pseudo_regret", "pseudo-regret: conversions lost, seen or not"},
    {"realised_regret", "realised regret: conversions fewer than the best arm's"},
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
  const double mean = model::mean(delays[0]);
  const std::string digits = mean >= 1000 && std::isfinite(mean) ? fmt::format("{:.0f}", mean) : fmt::format("{:.4g}", mean);
  return fmt::format("{} delays, mean {} rounds", text.substr(0, text.find(':')), digits);
}

std::optional<model::IndexForm> index_of(const std::string& policy) {
  const policy::Entry* entry = policy::find(policy);
  return entry != nullptr && entry->statistic != model::Statistic::none ? std::optional(entry->index) : std::nullopt;
}

/// A way to part the curves in two: by the side on which each is; none where one is on neither.
struct Divide {
  std::optional<std::size_t> (*side)(const StoredCurves&, const std::string& policy);
  std::array<std::string_view, 2> titles;
  std::size_t least;  ///< curves on either side for the divide to be worth it
};
constexpr std::array<Divide, 2> kDivides{{
    {[](const StoredCurves& result, const std::string& policy) -> std::optional<std::size_t> {
       return is_censored(result, policy) ? 0 : 1;
     },
     {"censored: conversions later than the window are lost", "uncensored: every conversion is seen in the end"},
     1},
    {[](const StoredCurves&, const std::string& policy) -> std::optional<std::size_t> {
       const auto index = index_of(policy);
       if (index == model::IndexForm::ucb) return 0;
       if (index == model::IndexForm::klucb) return 1;
       return std::nullopt;
     },
     {"UCB index", "KL-UCB index"},
     2},
}};

const Divide* divide(std::span<const StoredCurves> results) {
  for (const Divide& candidate : kDivides) {
    std::array<std::size_t, 2> sides{};
    bool has_all = true;
    for (const StoredCurves& result : results) {
      for (const StoredCurve& curve : result.policies) {
        const auto side = candidate.side(result, curve.policy);
        has_all = has_all && side;
        if (side) ++sides[*side];
      }
    }
    if (has_all && *std::ranges::min_element(sides) >= candidate.least) return &candidate;
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
      if (!panel.has_bands()) continue;
      std::ranges::for_each(curve.band, include);
      if (curve.p99) include(*curve.p99);
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

/// bound · ln t from a fifth of the horizon on, moved down until no curve is below it: only slopes can be compared, which is all that
/// the theorems speak of, and a line that crossed a curve would look like a bound that is violated.
std::vector<std::vector<double>> slope_below_the_curves(const RegretPanel& panel) {
  double end = 0, start = std::numeric_limits<double>::infinity(), offset = start;
  for (const StoredCurve& curve : panel.curves) end = std::max(end, curve.mean.back().t);
  for (const StoredCurve& curve : panel.curves) {
    for (const auto& point : curve.mean) {
      if (point.t < end / 5) continue;
      start = std::min(start, point.t);
      offset = std::min(offset, point.mean - panel.bound * std::log(point.t));
    }
  }
  constexpr int steps = 40;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i <= steps; ++i) {
    const double ln = std::log(start) + std::log(end / start) * i / steps;
    rows.push_back({std::exp(ln), offset + panel.bound * ln});
  }
  return rows;
}

std::string panel_script(const RegretPanel& panel, std::size_t id, bool log_time, bool with_key) {
  std::string data;
  std::vector<std::string> bands, intervals, lines, points;
  std::vector<std::string> policies;
  for (const StoredCurve& curve : panel.curves) policies.push_back(curve.policy);
  const std::vector<Ink> look = inks(policies);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const StoredCurve& curve = panel.curves[i];
    const auto& [color, mark, dash] = look[i];
    const std::string name = fmt::format("p{}c{}{}", id, i, log_time ? "g" : "l");
    std::vector<std::vector<double>> mean, band;
    for (const auto& point : curve.mean) mean.push_back({point.t, point.mean, point.low, point.high});
    for (const auto& point : curve.band) band.push_back({point.t, point.low, point.high});
    data += plot_data(name, mean) + plot_data(name + "m", marks(curve, log_time, i));
    if (panel.has_bands() && !band.empty()) {
      data += plot_data(name + "b", band);
      bands.push_back(
          fmt::format("${}b using 1:2:3 with filledcurves fs transparent solid 0.16 noborder lc rgb '{}' notitle", name, color));
      for (const int edge : {2, 3})
        bands.push_back(fmt::format("${}b using 1:{} with lines lw 0.6 lc rgb '#80{}' notitle", name, edge, color.substr(1)));
    }
    intervals.push_back(
        fmt::format("${} using 1:3:4 with filledcurves fs transparent solid 0.45 noborder lc rgb '{}' notitle", name, color));
    lines.push_back(fmt::format("${} using 1:2 with lines lw 2.2 dt {} lc rgb '{}' notitle", name, dash, color));
    points.push_back(fmt::format("${}m using 1:2 with points pt {} ps 1.1 lc rgb '{}' notitle", name, mark, color));
    if (panel.has_bands() && curve.p99) {
      data += plot_data(name + "r", {{curve.p99->t, curve.p99->mean, curve.p99->low, curve.p99->high}});
      points.push_back(fmt::format("${}r using 1:2:3:4 with yerrorbars pt 2 ps 1.3 lw 1.4 lc rgb '{}' notitle", name, color));
    }
    if (with_key)
      points.push_back(fmt::format("NaN with linespoints lw 2.2 dt {} pt {} ps 1.1 lc rgb '{}' title {}", dash, mark, color,
                                   plot_text(panel.labels[i])));
  }
  if (panel.bound > 0) {
    const std::string name = fmt::format("p{}s{}", id, log_time ? "g" : "l");
    data += plot_data(name, slope_below_the_curves(panel));
    points.push_back(fmt::format(
        "${} using 1:2 with lines lw 2 dt (8,6) lc rgb '#000000' {}", name,
        with_key ? "title " + plot_text(fmt::format("how fast the lower bound rises: {:.2f} per ln t", panel.bound)) : "notitle"));
  }
  std::vector<std::string> layers;
  for (auto* layer : {&bands, &intervals, &lines, &points}) layers.insert(layers.end(), layer->begin(), layer->end());
  return data + fmt::format("plot {}\n", fmt::join(layers, ", \\\n     "));
}

/// The policies that the look asks for, in its order.
std::vector<StoredCurves> chosen(std::span<const StoredCurves> results, const FigureLook& look) {
  std::vector<StoredCurves> all(results.begin(), results.end());
  if (look.policies.empty()) return all;
  std::vector<std::string_view> known;
  for (const StoredCurves& result : results) {
    for (const StoredCurve& curve : result.policies) known.push_back(curve.policy);
  }
  for (const std::string& policy : look.policies) {
    if (std::ranges::find(known, policy) == known.end()) {
      throw UserError(fmt::format("--policies: {} is not one of those stored: {}{}", dbandit::quoted(policy), fmt::join(known, " "),
                                  did_you_mean(policy, known)));
    }
  }
  for (StoredCurves& result : all) {
    std::vector<StoredCurve> kept;
    for (const std::string& policy : look.policies) {
      const auto found = std::ranges::find(result.policies, policy, &StoredCurve::policy);
      if (found != result.policies.end()) kept.push_back(*found);
    }
    result.policies = std::move(kept);
  }
  return all;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t line) {
  std::vector<std::string> lines;
  while (text.size() > line) {
    std::size_t end = text.find_last_of(";, ", line);
    if (end == std::string_view::npos || end == 0) {
      end = line;
      while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;  // not within a character
    } else if (text[end] != ' ') {
      ++end;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  lines.emplace_back(text);
  return lines;
}

std::string problem_text(const sim::Spec& spec) {
  const std::string window = spec->censor ? ", window " + counted(*spec->censor, "round") : "";
  constexpr std::size_t kMostRates = 8;
  const std::size_t arms = spec->theta.size(), shown = std::min(arms, kMostRates);
  const std::string more = arms > shown ? fmt::format(", … ({} arms)", arms) : "";
  return fmt::format("conversion rates {}{}; {}{}",
                     fmt::join(spec->theta.begin(), spec->theta.begin() + static_cast<std::ptrdiff_t>(shown), ", "), more,
                     delays_phrase(spec->delay), window);
}

RegretFigure regret_figure(std::span<const StoredCurves> all, std::string_view measure, const FigureLook& look) {
  const std::vector<StoredCurves> results = chosen(all, look);
  RegretFigure figure;
  const auto* text = std::ranges::find(kMeasureTexts, measure, &MeasureText::measure);
  figure.quantity = text != kMeasureTexts.end() ? text->words : measure;
  figure.caption = "line: mean";
  const Divide* const parted = divide(results);
  figure.panels.resize(parted != nullptr ? 2 : 1);
  for (std::size_t side = 0; parted != nullptr && side < 2; ++side) figure.panels[side].title = parted->titles[side];

  const std::vector<std::string> names = short_names(results);
  bool same_bound = true;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const StoredCurves& result = results[r];
    for (StoredCurve curve : result.policies) {
      RegretPanel& panel = figure.panels[parted != nullptr ? *parted->side(result, curve.policy) : 0];
      const double bound = measure == kMeasureTexts[0].measure ? lower_bound(result, curve.policy) : 0;
      same_bound = same_bound && (panel.curves.empty() || panel.bound == bound);
      panel.bound = bound;
      const auto label = look.labels.find(curve.policy);
      panel.labels.push_back((results.size() > 1 ? names[r] + ": " : "") + (label != look.labels.end() ? label->second : curve.policy));
      panel.curves.push_back(std::move(curve));
    }
  }
  if (results.size() == 1 && results[0].spec) {
    figure.title = problem_text(*results[0].spec);
    figure.caption += " over " + counted((*results[0].spec)->replicas, "replica");
  } else {
    figure.title = fmt::format("{}", fmt::join(names, ", "));
  }
  if (look.title) figure.title = *look.title;
  figure.caption += ", with its 95 % interval";
  const auto some_curve = [&](auto has) {
    return std::ranges::any_of(figure.panels,
                               [&](const RegretPanel& panel) { return panel.has_bands() && std::ranges::any_of(panel.curves, has); });
  };
  const bool has_band = some_curve([](const StoredCurve& curve) { return !curve.band.empty(); });
  const bool has_p99 = some_curve([](const StoredCurve& curve) { return curve.p99.has_value(); });
  if (has_band) figure.caption += " · shade: 10 % to 90 % of the replicas";
  if (has_p99) figure.caption += " · cross: 99 % of them, with its interval";
  if (!same_bound) {  // problems or settings are mixed: there is no one bound
    for (RegretPanel& panel : figure.panels) panel.bound = 0;
  }
  if (std::ranges::any_of(figure.panels, [](const RegretPanel& panel) { return panel.bound > 0; }))
    figure.caption += " · black dashes: the slope of the lower bound, placed below the curves; only slopes can be compared";
  return figure;
}

Drawing regret_drawing(const RegretFigure& figure, const FigureLook& look) {
  using Time = FigureLook::Time;
  const auto [horizon, low, high] = extent(figure);
  const bool alone = figure.panels.size() == 1, both = look.time == Time::both;
  const std::size_t columns = alone && !both ? 1 : 2, rows = !alone && both ? 2 : 1;
  const int width = look.width > 0 ? look.width : columns == 1 ? 800 : 1280;
  constexpr std::size_t kTitleCharacter = 12, kCaptionCharacter = 8;  // pixels, about
  const std::vector<std::string> title = wrapped(figure.title, static_cast<std::size_t>(width) / kTitleCharacter);
  const std::vector<std::string> caption = wrapped(figure.caption, static_cast<std::size_t>(width) / kCaptionCharacter);
  // The key stands below the axes it belongs to, as many lines as it needs; everything else is a share of what is left.
  constexpr double kKeyLine = 19, kTitleLine = 30, kCaptionLine = 18;
  constexpr double kQuantity = 88, kLastTic = 30;  // what stands left of the axes: the quantity and its tics; right: half of "1000000"
  std::size_t key_lines = 1;
  for (const RegretPanel& panel : figure.panels) {
    key_lines = std::max(key_lines, panel.curves.size() + (panel.bound > 0 ? 1 : 0));
  }
  const double key_height = kKeyLine * static_cast<double>(key_lines), title_height = 20 + kTitleLine * static_cast<double>(title.size());
  const double caption_height = 16 + kCaptionLine * static_cast<double>(caption.size());
  const double needed = title_height + key_height + caption_height + 56 + 380 * static_cast<double>(rows);
  Drawing drawing{.script = {}, .width = width, .height = look.height > 0 ? look.height : static_cast<int>(needed)};
  const double unit = 1.0 / drawing.height, key_top = (key_height + caption_height) * unit;
  drawing.script = fmt::format(R"(set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set grid lt 1 lc rgb '#e4e4e4' lw 0.7
set yrange [{}:{}]
set multiplot title {} noenhanced font ',17'
)",
                               low < 0 ? low * 1.1 : 0,
                               high > 0  ? high * 1.1
                               : low < 0 ? 0
                                         : 1,
                               plot_text(title.front()));
  std::size_t labels = 0;
  for (std::size_t line = 1; line < title.size(); ++line) {
    drawing.script += fmt::format("set label {} {} at screen 0.5, screen {} center noenhanced font ',17'\n", ++labels,
                                  plot_text(title[line]), 1 - (18 + kTitleLine * static_cast<double>(line)) * unit);
  }
  for (std::size_t line = 0; line < caption.size(); ++line) {
    drawing.script += fmt::format("set label {} {} at screen 0.5, screen {} center noenhanced font ',11' tc rgb '#444444'\n", ++labels,
                                  plot_text(caption[line]), (14 + kCaptionLine * static_cast<double>(caption.size() - 1 - line)) * unit);
  }
  const double top = 1 - (title_height + (figure.panels.front().title.empty() ? 0 : 22)) * unit, bottom = key_top + 56 * unit;
  const double row_gap = 62 * unit, height = (top - bottom - row_gap * static_cast<double>(rows - 1)) / static_cast<double>(rows);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    for (const bool log_time : {false, true}) {
      if (look.time == (log_time ? Time::linear : Time::logarithmic)) continue;
      const bool right = alone ? both && log_time : p == 1, below = !alone && both && log_time;
      const double upper = below ? bottom + height : top;
      const double left_edge = right ? 0.565 : kQuantity / width, right_edge = right || columns == 1 ? 1 - kLastTic / width : 0.485;
      const bool with_key = both ? log_time : true;
      const double key_at = alone ? 0.5 : (left_edge + right_edge) / 2;
      drawing.script +=
          fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen {}\n", left_edge,
                      right_edge, upper, upper - height);
      drawing.script += with_key ? fmt::format("set key at screen {}, screen {} center top vertical noenhanced Left reverse samplen 2.5\n",
                                               key_at, key_top)
                                 : "unset key\n";
      drawing.script += log_time ? fmt::format("set logscale x\nset xrange [{}:{}]\nset xlabel 'round, logarithmic'\nset format x '%h'\n",
                                               first_shown(horizon), std::max(horizon, 2.0))  // an axis from 1 to 1 is none
                                 : fmt::format("unset logscale x\nset xrange [0:{}]\nset xlabel 'round'\nset format x '%h'\n", horizon);
      drawing.script += right ? "unset ylabel\n" : fmt::format("set ylabel {} noenhanced\n", plot_text(figure.quantity));
      drawing.script += (both && log_time) || figure.panels[p].title.empty()
                            ? "unset title\n"
                            : fmt::format("set title {} noenhanced font ',14'\n", plot_text(figure.panels[p].title));
      drawing.script += panel_script(figure.panels[p], p, log_time, with_key);
      for (; labels > 0; --labels) drawing.script += fmt::format("unset label {}\n", labels);
    }
  }
  drawing.script += "unset multiplot\n";
  return drawing;
}

}  // namespace dbandit::report
