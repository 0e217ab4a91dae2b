#include "report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "core/text.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "model/geometric_fit.hpp"
#include "report/risk.hpp"
#include "sim/sums.hpp"

namespace dbandit::report {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

/// The largest unit that is not larger than the value, and three digits of it.
template <std::size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
  const auto* unit = std::ranges::find_if(units, [&](const Unit& u) { return value >= u.size; });
  if (unit == units.end()) unit = &units.back();
  const double mantissa = value / unit->size;
  return fmt::format("{:.{}f}{}", mantissa, mantissa < 10 ? 2 : mantissa < 100 ? 1 : 0, unit->name);
}

std::string mean_text(const sim::Result& result, const stats::Moments& moments) {
  return report::mean_text(moments.mean, result.half_width(moments));
}

/// The delays; what the policies believe if that is something else; and how far an approximate exposure can be from the true one.
std::string delays_text(const sim::Spec& spec) {
  std::string text = model::short_delays_text(spec->delay);
  if (spec->assume_delay) text += fmt::format(" (policies assume {})", model::short_delays_text(spec.believed()));
  if (spec.exposure() != model::Exposure::approx) return text;
  for (const model::DelayLaw& law : spec.believed().laws) {
    const std::int64_t last = std::min(spec->censor.value_or(spec->horizon), spec->horizon);
    const model::GeometricFit fit = *model::fit_geometrics(law, last, spec.exposure().tolerance);
    text += fmt::format(" · exposure by {} geometrics, certified |ΔÑ| ≤ {:.2g} N", fit.parts.size(), fit.error);
  }
  return text;
}

std::string window_text(const model::Window& window) { return window ? fmt::format("window {}", *window) : "uncensored"; }

/// The record from which the slope at the end of a run is taken: the last one not later than T/2.
std::optional<std::size_t> slope_start(const std::vector<std::int64_t>& at) {
  const auto later = std::ranges::upper_bound(at, at.back() / 2);
  if (later == at.begin()) return std::nullopt;
  return static_cast<std::size_t>(later - at.begin() - 1);
}

/// Growth of the mean regret per ln t at the end of the run: (L(T) − L(t₀)) / ln(T/t₀).
double end_slope(const std::vector<std::int64_t>& at, std::size_t from, const std::vector<stats::Moments>& regret) {
  return (regret.back().mean - regret[from].mean) / std::log(static_cast<double>(at.back()) / static_cast<double>(at[from]));
}

bool is_censored(const sim::Spec& spec, std::size_t p) { return spec.window(spec->policies[p]).has_value(); }

/// Of the policies of p's setting, the one with the least mean regret. Across settings regrets are not comparable: the
/// censored one counts only what can ever be seen.
std::size_t best_rival(const sim::Result& result, std::size_t p) {
  std::size_t best = p;
  for (std::size_t rival = 0; rival < result.spec->policies.size(); ++rival) {
    const bool same_setting = is_censored(result.spec, rival) == is_censored(result.spec, p);
    const auto final_regret = [&](std::size_t q) { return result.stats.policies[q].regret.back().mean; };
    if (same_setting && final_regret(rival) < final_regret(best)) best = rival;
  }
  return best;
}

/// Mean final regret of policy p minus that of policy b on the same worlds.
std::string behind_text(const sim::Result& result, std::size_t p, std::size_t b) {
  const sim::RunStats& stats = result.stats;
  if (p == b) return "best";
  const stats::Moments& difference = stats.paired[sim::pair_index(std::min(p, b), std::max(p, b), stats.policies.size())];
  return fmt::format("+{}", report::mean_text(p < b ? difference.mean : -difference.mean, result.half_width(difference)));
}

/// Why a run with --until ended, and what that means for its intervals.
std::string until_text(const sim::Result& result) {
  const double replicas = result.stats.policies.front().regret.back().count;
  const std::string why = result.precise
                              ? fmt::format("precise enough after {} of at most {}", replicas, counted(result.spec->replicas, "replica"))
                          : result.complete ? fmt::format("not precise enough after all {} replicas", replicas)
                                            : "cut short";
  return fmt::format("until {}: {}, at {}; ± is corrected for that, it covers at 95 % or more", result.spec->until->text(), why,
                     result.looks == 1 ? "the first look" : fmt::format("the last of {} sequential looks", result.looks));
}

}  // namespace

std::string mean_text(double mean, double half) {
  if (!std::isfinite(half)) return fmt::format("{:.2f}", mean);
  const int digits = half > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 6) : 2;
  return fmt::format("{:.{}f} ± {:.{}f}", mean, digits, half, digits);
}

std::string mean_text(const stats::Moments& moments) { return mean_text(moments.mean, stats::half_width_95(moments)); }

std::string duration_text(double seconds) {
  static constexpr std::array<Unit, 7> units{
      {{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}};
  return scaled(seconds, units);
}

std::string count_text(double count) {
  static constexpr std::array<Unit, 5> units{{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
  return scaled(count, units);
}

std::string bytes_text(double bytes) { return count_text(bytes) + (bytes >= 1e3 ? "B" : " B"); }

std::string result_table(const sim::Result& result, const Style& style) {
  const sim::Spec& spec = result.spec;
  const auto& policies = result.stats.policies;
  const double replicas = policies.front().regret.back().count;
  const auto slope_from = slope_start(spec->at);

  struct Column {
    std::string heading;
    std::function<std::string(std::size_t policy)> cell;
  };
  std::vector<Column> shown{{"policy", [&](std::size_t p) { return spec->policies[p].id; }},
                            {"regret", [&](std::size_t p) { return mean_text(result, policies[p].regret.back()); }}};
  if (policies.size() > 1)
    shown.push_back({"behind the best", [&](std::size_t p) { return behind_text(result, p, best_rival(result, p)); }});
  shown.push_back({"pseudo-regret", [&](std::size_t p) { return mean_text(result, policies[p].pseudo_regret.back()); }});
  shown.push_back({"slope/bound", [&](std::size_t p) {
                     const double bound = (is_censored(spec, p) ? result.censored : result.uncensored).lower;
                     return slope_from && bound > 0 ? fmt::format("{:.2f}", end_slope(spec->at, *slope_from, policies[p].regret) / bound)
                                                    : "–";
                   }});
  const bool timed = !result.timing.policy_seconds.empty();
  if (timed) {
    shown.push_back({"time/round", [&](std::size_t p) {
                       return duration_text(result.timing.policy_seconds[p] / (replicas * static_cast<double>(spec->horizon)));
                     }});
  }

  Columns columns;
  columns.rows.resize(1 + policies.size());
  for (const Column& column : shown) {
    columns.align.push_back(columns.align.empty() ? Align::left : Align::right);
    columns.rows[0].push_back(column.heading);
    for (std::size_t p = 0; p < policies.size(); ++p) columns.rows[1 + p].push_back(column.cell(p));
  }
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (policies.size() > 1 && best_rival(result, p) == p) columns.highlight.push_back(1 + p);
  }

  std::string text;
  if (!result.complete) text += style.bold(fmt::format("PARTIAL: {} of {}", replicas, counted(spec->replicas, "replica"))) + "\n";
  text += style.dim(fmt::format("θ = {} · {} · {} · T = {} · {} · seed {} · ε = {}", fmt::join(spec->theta, ", "), delays_text(spec),
                                window_text(spec->censor), spec->horizon, counted(replicas, "replica"), spec->seed, spec->epsilon)) +
          "\n\n" + columns.text(style) + "\n";
  std::string notes = "regret, pseudo-regret: mean at T ± 95 % interval";
  if (policies.size() > 1) notes += "; behind the best: paired, on the same worlds, within a setting";
  if (result.looks > 0) notes += fmt::format("\n{}", until_text(result));
  notes += slope_from
               ? fmt::format("\nslope/bound: growth of regret per ln t from t = {} to T, over the lower bound of the policy's setting",
                             spec->at[*slope_from])
               : "\nslope/bound: needs a recorded round not later than T/2 (--at)";
  notes += fmt::format("\nlower bound per ln T: {}uncensored {:.6f}",
                       spec->censor ? fmt::format("censored {:.6f}, ", result.censored.lower) : "", result.uncensored.lower);
  const std::string risk = policies.front().spread.empty() ? "" : "\n" + risk_table(result, style);
  if (!timed) return text + style.dim(notes) + "\n" + risk;
  const double rate = result.timing.seconds > 0 ? result.timing.replica_rounds / result.timing.seconds : 0;
  notes += fmt::format("\ntime/round: CPU time per replica and round; {} replica-rounds in {}, {}/s ({}, {})",
                       count_text(result.timing.replica_rounds), duration_text(result.timing.seconds), count_text(rate), result.target,
                       counted(result.threads, "thread"));
  return text + style.dim(notes) + "\n" + risk;
}

constexpr std::string_view kByArm =
    "–: not with a window and delays that depend on the arm: the arm of the largest rate, which these policies look for, need not be the "
    "one "
    "that shows most conversions within the window, and only that one has no regret";

std::string bounds_table(const model::Problem& problem, const model::Window& window, double epsilon, const Style& style) {
  Columns columns{.align = {Align::left, Align::right, Align::right, Align::right},
                  .rows = {{"regret per ln T", "lower", "ucb", "klucb"}},
                  .highlight = {}};
  const auto add = [&](std::string setting, const model::Window& w) {
    const model::Slopes slopes = model::slopes(problem, w, epsilon);
    const auto text = [](double slope) { return std::isnan(slope) ? "–" : fmt::format("{:.6f}", slope); };
    columns.rows.push_back({std::move(setting), text(slopes.lower), text(slopes.ucb), text(slopes.klucb)});
  };
  if (window) add(fmt::format("censored, m = {}", *window), window);
  add("uncensored", std::nullopt);
  return style.dim(fmt::format("θ = {} · {} · ε = {}", fmt::join(problem.theta, ", "), model::short_delays_text(problem.delay), epsilon)) +
         "\n\n" + columns.text(style) + "\n" +
         style.dim(
             "lower: no uniformly efficient policy does better; ucb, klucb: what the paper grants d-ucb/ud-ucb and d-klucb/ud-klucb") +
         "\n" + (window && !problem.delay.common() ? style.dim(kByArm) + "\n" : "");
}

}  // namespace dbandit::report
