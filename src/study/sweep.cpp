#include "study/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "sim/sums.hpp"

namespace dbandit::study {
namespace {

constexpr std::size_t kMostValues = 1000, kMostCells = 10'000;

/// One best arm, listed first, and equal others.
struct Shape {
  double best = 0, other = 0;
  std::size_t arms = 0;
};

Shape shape_of(const std::vector<double>& theta) {
  std::vector<double> rates = theta;
  std::ranges::sort(rates, std::greater<>());
  return {rates.front(), rates.size() > 1 ? rates[1] : rates.front(), rates.size()};
}

/// Changes the shape of a problem; one without rates is not a spec and will be refused as such.
template <class Change>
void reshape(sim::Settings& settings, Change change) {
  if (settings.theta.empty()) return;
  Shape shape = shape_of(settings.theta);
  change(shape);
  settings.theta.assign(std::max<std::size_t>(shape.arms, 1), shape.other);
  settings.theta.front() = shape.best;
}

const std::array<Knob, 11> kKnobs{{
    {"censor", "window, rounds", true, [](sim::Settings& settings, double m) { settings.censor = static_cast<std::int64_t>(m); }},
    {"mean-delay", "mean delay, rounds", false, [](sim::Settings& settings, double mean) { settings.delay = model::Geometric{mean}; }},
    {"assumed-mean", "assumed mean delay, rounds", false,
     [](sim::Settings& settings, double mean) { settings.assume_delay = sim::Assumption(model::Geometric{mean}); }},
    {"horizon", "horizon, rounds", true, [](sim::Settings& settings, double t) { settings.horizon = static_cast<std::int64_t>(t); }},
    {"epsilon", "exploration ε", false, [](sim::Settings& settings, double epsilon) { settings.epsilon = epsilon; }},
    {"gamma", "exponent γ of the delay estimate", false, [](sim::Settings& settings, double gamma) { settings.gamma = gamma; }},
    {"scale", "factor on all conversion rates", false,
     [](sim::Settings& settings, double factor) { std::ranges::for_each(settings.theta, [&](double& rate) { rate *= factor; }); }},
    {"arms", "arms", true,
     [](sim::Settings& settings, double arms) { reshape(settings, [&](Shape& shape) { shape.arms = static_cast<std::size_t>(arms); }); }},
    {"best", "best conversion rate", false,
     [](sim::Settings& settings, double best) {
       // The others keep their distance relative to the best, so that `best` and `relative-gap` can be varied in any order.
       reshape(settings, [&](Shape& shape) { shape = {best, shape.other / shape.best * best, shape.arms}; });
     }},
    {"gap", "gap between the best rate and the others", false,
     [](sim::Settings& settings, double gap) { reshape(settings, [&](Shape& shape) { shape.other = shape.best - gap; }); }},
    {"relative-gap", "gap as a share of the best rate", false,
     [](sim::Settings& settings, double share) { reshape(settings, [&](Shape& shape) { shape.other = shape.best * (1 - share); }); }},
}};

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw UserError(fmt::format("--vary: {} {}", dbandit::quoted(text), why));
}

double number(std::string_view text, std::string_view whole) {
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value)) refuse(whole, fmt::format("has {} where a number belongs", dbandit::quoted(text)));
  return *value;
}

/// log:lo:hi:n or lin:lo:hi:n, ends included.
std::vector<double> range(std::string_view values, std::string_view whole) {
  const auto parts = split(values, ':');
  if (parts.size() != 4) refuse(whole, "is not a range KEY=log:LOW:HIGH:COUNT");
  const bool log = parts[0] == "log";
  const double low = number(parts[1], whole), high = number(parts[2], whole), count = number(parts[3], whole);
  if (count != std::floor(count) || count < 2 || count > static_cast<double>(kMostValues))
    refuse(whole, fmt::format("has a count that is not an integer from 2 to {}", kMostValues));
  if (!(low < high) || (log && low <= 0)) refuse(whole, log ? "is not a range with 0 < LOW < HIGH" : "is not a range with LOW < HIGH");
  std::vector<double> points;
  for (double i = 0; i < count; ++i) {
    const double share = i / (count - 1);
    const double point = log ? low * std::pow(high / low, share) : low + (high - low) * share;
    points.push_back(std::stod(fmt::format("{:.3g}", point)));  // as people write it: a grid needs no more digits
  }
  points.front() = low;
  points.back() = high;
  return points;
}

std::string axis_columns(const Sweep& sweep) {
  std::string columns;
  for (const Axis& axis : sweep.axes) columns += std::string(axis.knob->name) + ',';
  return columns;
}

std::string place(const Cell& cell) { return fmt::format("{}", fmt::join(cell.at, ",")); }

void append_moments(std::string& csv, const stats::Moments& moments) {
  const double half = stats::half_width_95(moments);
  fmt::format_to(std::back_inserter(csv), "{},{},{},{}\n", moments.mean, moments.standard_error(), moments.mean - half,
                 moments.mean + half);
}

}  // namespace

std::span<const Knob> knobs() { return kKnobs; }

Axis parse_axis(std::string_view text) {
  std::vector<std::string_view> names;
  std::ranges::transform(kKnobs, std::back_inserter(names), &Knob::name);
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto* knob = std::ranges::find(kKnobs, name, &Knob::name);
  if (equals == std::string_view::npos) refuse(text, "is not KEY=VALUES, as in censor=10,100,1000 or mean-delay=log:10:5000:8");
  if (knob == kKnobs.end()) refuse(name, fmt::format("is not one of: {}{}", fmt::join(names, " "), did_you_mean(name, names)));
  const std::string_view values = text.substr(equals + 1);
  std::vector<double> points;
  if (values.starts_with("log:") || values.starts_with("lin:")) {
    points = range(values, text);
  } else {
    for (const std::string_view value : split(values, ',')) points.push_back(number(value, text));
  }
  Axis axis{.knob = knob, .values = {}, .text = std::string(text)};
  for (const double point : points) {
    if (knob->integer && std::abs(point) > 1e15) refuse(text, "is beyond any integer that makes sense");
    const double value = knob->integer ? std::round(point) : point;
    if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
  }
  if (axis.values.size() > kMostValues) refuse(text.substr(0, 40), fmt::format("has more than {} values", kMostValues));
  return axis;
}

std::vector<Axis> parse_axes(std::span<const std::string> texts) {
  if (texts.empty()) throw UserError("--vary: is missing; give one or two, as in --vary censor=log:10:10000:7");
  if (texts.size() > 2) throw UserError(fmt::format("--vary: given {} times; allowed is once or twice", texts.size()));
  std::vector<Axis> axes;
  for (const std::string& text : texts) axes.push_back(parse_axis(text));
  if (axes.size() == 2 && axes[0].knob == axes[1].knob) throw UserError(fmt::format("--vary: '{}' is given twice", axes[0].knob->name));
  if (axes.size() == 2 && axes[0].values.size() * axes[1].values.size() > kMostCells)
    throw UserError(fmt::format("--vary: {} cells; allowed are at most {}", axes[0].values.size() * axes[1].values.size(), kMostCells));
  return axes;
}

std::vector<Cell> cells(const sim::SpecDraft& base, std::span<const Axis> axes) {
  std::vector<std::vector<double>> grid{{}};
  for (const Axis& axis : axes) {
    std::vector<std::vector<double>> finer;
    for (const std::vector<double>& at : grid) {
      for (const double value : axis.values) {
        finer.push_back(at);
        finer.back().push_back(value);
      }
    }
    grid = std::move(finer);
  }
  std::vector<Cell> cells;
  for (std::vector<double>& at : grid) {
    sim::SpecDraft draft = base;
    std::string where;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      axes[i].knob->turn(draft.settings, at[i]);
      where += fmt::format("{}{}={}", i > 0 ? " " : "", axes[i].knob->name, at[i]);
    }
    draft.settings.at = {draft.settings.horizon};
    try {
      cells.push_back({.at = std::move(at), .spec = sim::Spec(draft)});
    } catch (const UserError& error) {
      throw UserError(fmt::format("--vary {}: {}", where, error.what()));
    }
  }
  return cells;
}

std::string sweep_csv(const Sweep& sweep) {
  std::string csv = axis_columns(sweep) + "policy,measure,mean,stderr,ci_low,ci_high\n";
  for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
    const sim::Result& result = sweep.results[c];
    for (std::size_t p = 0; p < result.spec->policies.size(); ++p) {
      for (const sim::Measure& measure : sim::kMeasures) {
        fmt::format_to(std::back_inserter(csv), "{},{},{},", place(sweep.cells[c]), report::csv_cell(result.spec->policies[p].id),
                       measure.name);
        append_moments(csv, (result.stats.policies[p].*measure.curve).back());
      }
    }
  }
  return csv;
}

std::string paired_csv(const Sweep& sweep) {
  std::string csv = axis_columns(sweep) + "a,b,mean,stderr,ci_low,ci_high\n";
  for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
    const sim::Result& result = sweep.results[c];
    const std::size_t policies = result.spec->policies.size();
    for (std::size_t a = 0; a < policies; ++a) {
      for (std::size_t b = a + 1; b < policies; ++b) {
        fmt::format_to(std::back_inserter(csv), "{},{},{},", place(sweep.cells[c]), report::csv_cell(result.spec->policies[a].id),
                       report::csv_cell(result.spec->policies[b].id));
        append_moments(csv, result.stats.paired[sim::pair_index(a, b, policies)]);
      }
    }
  }
  return csv;
}

std::string sweep_spec(const Sweep& sweep) {
  std::string text = sim::spec_text(sweep.cells.front().spec);
  std::string command = "# dbandit sweep SPEC.toml";
  for (const Axis& axis : sweep.axes) command += " --vary " + axis.text;
  return command + " repeats this sweep; this is its first cell.\n" + text.substr(text.find('\n') + 1);
}

Winner winner(const sim::Result& result) {
  const auto& policies = result.stats.policies;
  std::vector<std::size_t> order(policies.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return policies[p].regret.back().mean; });
  if (order.size() < 2) return {};
  const auto [first, second] = std::pair{order[0], order[1]};
  const stats::Moments& pair = result.stats.paired[sim::pair_index(std::min(first, second), std::max(first, second), policies.size())];
  const double least = policies[first].regret.back().mean, gap = std::abs(pair.mean);
  return {.policy = first, .second = second, .margin = least > 0 ? gap / least : 0, .certain = gap > stats::half_width_95(pair)};
}

std::vector<report::File> sweep_files(const Sweep& sweep) {
  return {{"spec.toml", sweep_spec(sweep)},
          {"sweep.csv", sweep_csv(sweep)},
          {"paired.csv", paired_csv(sweep)},
          {"manifest.json", report::manifest_json(report::manifest(sweep.results))}};
}

std::string sweep_table(const Sweep& sweep, const report::Style& style) {
  const std::vector<std::string> policies = sweep.results.front().spec.ids();
  const Axis& rows = sweep.axes.front();
  report::Columns columns;
  columns.align.push_back(report::Align::right);
  columns.rows.push_back({std::string(rows.knob->name)});
  std::string notes;
  if (sweep.axes.size() == 1) {
    for (const std::string& policy : policies) columns.rows[0].push_back(policy);
    for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
      columns.rows.push_back({fmt::format("{}", sweep.cells[c].at[0])});
      for (const sim::PolicyStats& stats : sweep.results[c].stats.policies)
        columns.rows.back().push_back(report::mean_text(stats.regret.back()));
    }
    notes = "mean regret at T ± 95 % interval; all cells and policies meet the same worlds";
  } else {
    const std::size_t across = sweep.axes[1].values.size();
    for (const double value : sweep.axes[1].values) columns.rows[0].push_back(fmt::format("{}", value));
    for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
      if (c % across == 0) columns.rows.push_back({fmt::format("{}", sweep.cells[c].at[0])});
      const Winner best = winner(sweep.results[c]);
      columns.rows.back().push_back(policies.size() == 1 ? report::mean_text(sweep.results[c].stats.policies[0].regret.back())
                                    : best.certain       ? fmt::format("{} +{:.0f} %", policies[best.policy], 100 * best.margin)
                                                         : "=");
    }
    notes = policies.size() == 1
                ? "mean regret at T ± 95 % interval"
                : fmt::format("who has the least regret at T, and how far the next one is behind; =: within chance; across: {}",
                              sweep.axes[1].knob->name);
  }
  columns.align.resize(columns.rows[0].size(), report::Align::right);
  return columns.text(style) + "\n" + style.dim(notes) + "\n";
}

}  // namespace dbandit::study
