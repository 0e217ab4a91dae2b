#include "study/fit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dbandit/core/error.hpp"
#include "dbandit/model/delays.hpp"
#include "dbandit/sim/run.hpp"
#include "model/continuous_law.hpp"
#include "model/uniform_play.hpp"
#include "report/ink.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace dbandit::study {
namespace {

using report::Align;
using report::Columns;
using report::Json;

/// Five digits: a fit has no more.
std::string number(double value) { return fmt::format("{:.5g}", value); }
std::string short_number(double value) { return std::isnan(value) ? "–" : fmt::format("{:.4g}", value); }

std::string text_of(const model::Geometric& law) { return "geometric:" + number(law.mean); }
std::string text_of(const model::Mixture& law) {
  // Weights must add up to 1 as they are written: the last has what the others leave.
  std::string text = "mixture:";
  std::int64_t left = 100'000;
  for (const auto& part : law.parts) {
    const bool last = &part == &law.parts.back();
    const auto weight = last ? left : std::clamp<std::int64_t>(std::llround(part.weight * 1e5), 1, left - 1);
    left -= weight;
    text += fmt::format("{}*{}", number(static_cast<double>(weight) / 1e5), number(part.mean));
    if (!last) text += '+';
  }
  return text;
}
std::string text_of(const model::Uniform& law) { return fmt::format("uniform:0..{}", law.last); }
std::string text_of(const model::Constant& law) { return fmt::format("constant:{}", law.delay); }
std::string text_of(const model::NegativeBinomial& law) { return fmt::format("negbin:{},{}", law.stages, number(law.mean)); }
std::string text_of(const model::Discretised& law) { return fmt::format("{}:{},{}", law.of->name, number(law.first), number(law.second)); }
std::string text_of(const model::Empirical& law) { return model::to_text(law); }

std::string text_of(const fit::Fit& fit) { return law_text(fit.law()); }

/// A search that ended at the edge of what is allowed: the law wants to be another one.
bool at_bound(const fit::Fit& fit) {
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const fit::Parameter& parameter = fit.family->parameters[i];
    if (parameter.whole) continue;
    const double near = 1e-4 * std::abs(fit.parameters[i]);
    if (fit.parameters[i] <= parameter.low + near || fit.parameters[i] >= parameter.high - near) return true;
  }
  return false;
}

std::string plural(std::int64_t count, std::string_view word) { return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s"); }

std::string arm_name(const fit::ArmCounts& arm) { return arm.arm.empty() ? "rate" : "rate of arm " + arm.arm; }

std::vector<double> rounded_rates(const fit::Fit& fit) {
  std::vector<double> rates;
  for (const double rate : fit.rates) rates.push_back(std::strtod(number(rate).c_str(), nullptr));
  return rates;
}

std::string delays_of(const FittedLog& fitted) {
  if (!fitted.arms_differ()) return text_of(fitted.best());
  std::string text;
  for (const fit::Fit& fit : fitted.one_law->fits) text.append(text.empty() ? "" : ",").append(text_of(fit));
  return text;
}

/// The rates that go with these delays.
std::vector<double> rates_of(const FittedLog& fitted) {
  if (!fitted.arms_differ()) return rounded_rates(fitted.best());
  std::vector<double> rates;
  for (const fit::Fit& fit : fitted.one_law->fits) rates.push_back(rounded_rates(fit).front());
  return rates;
}

std::string heading(const FittedLog& fitted) {
  const fit::Log& log = fitted.log;
  std::string text = fmt::format("{}, {} counted of {}", plural(log.rows, "click"), plural(log.counted(), "conversion"), log.conversions);
  if (log.counts.size() > 1) text += fmt::format(", {} arms", log.counts.size());
  text += fmt::format("; rounds of {}{}, observed for up to {}", number(log.round), log.round_chosen ? " (chosen; --round)" : "",
                      plural(log.longest, "round"));
  if (log.too_young > 0) text += fmt::format("; {} observed for less than a round", plural(log.too_young, "click"));
  return text + '\n';
}

Columns laws_table(const FittedLog& fitted) {
  Columns columns{.align = {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::right},
                  .rows = {{"law", "delay", "parameters", "ln L", "AIC", "BIC", "P–P gap"}},
                  .highlight = {1}};
  double least_aic = fitted.best().aic;
  for (const fit::Fit& fit : fitted.fits) least_aic = std::min(least_aic, fit.aic);
  const auto above = [](double value, double least) {
    return value - least < 0.05 ? std::string("best") : fmt::format("+{:.1f}", value - least);
  };
  for (std::size_t i = 0; i < fitted.fits.size(); ++i) {
    const fit::Fit& fit = fitted.fits[i];
    columns.rows.push_back({std::string(fit.family->name), text_of(fit) + (at_bound(fit) ? " (at a bound)" : ""),
                            std::to_string(fit.free()), fmt::format("{:.1f}", fit.log_likelihood), above(fit.aic, least_aic),
                            above(fit.bic, fitted.best().bic),
                            i < fitted.shares.size() ? fmt::format("{:.3f}", fit::largest_gap(fitted.shares[i])) : ""});
  }
  return columns;
}

std::string_view words(fit::Method method) {
  switch (method) {
    case fit::Method::information:
      return "information";
    case fit::Method::profile:
      return "profile";
    case fit::Method::none:
      return "none";
  }
  return "";
}

void add_estimates(Columns& columns, std::span<const fit::Estimate> estimates, const std::string& name = {}) {
  for (const fit::Estimate& estimate : estimates) {
    const bool known = estimate.method != fit::Method::none;
    columns.rows.push_back({name.empty() ? estimate.name : name, short_number(estimate.value), short_number(estimate.error),
                            known ? fmt::format("{} to {}", short_number(estimate.low), short_number(estimate.high)) : "–",
                            estimate.method == fit::Method::profile ? "profile" : ""});
  }
}

Columns estimates_table(const FittedLog& fitted) {
  const fit::Fit& best = fitted.best();
  Columns columns{.align = {Align::left, Align::right, Align::right, Align::right, Align::left},
                  .rows = {{std::string(best.family->name), "estimate", "std. error", "95 % interval", ""}},
                  .highlight = {}};
  add_estimates(columns, best.parameter_estimates);
  for (std::size_t k = 0; k < best.rate_estimates.size(); ++k) {
    add_estimates(columns, std::span(best.rate_estimates).subspan(k, 1), arm_name(fitted.log.counts[k]));
  }
  return columns;
}

/// Each arm with a law of its own; shown where they differ.
Columns arms_table(const FittedLog& fitted) {
  Columns columns{.align = {Align::left, Align::right, Align::left, Align::right, Align::right},
                  .rows = {{"arm", "conversions", "delay", "rate", "95 % interval"}},
                  .highlight = {}};
  for (std::size_t i = 0; i < fitted.one_law->arms.size(); ++i) {
    const fit::ArmCounts& arm = fitted.log.counts[fitted.one_law->arms[i]];
    const fit::Fit& fit = fitted.one_law->fits[i];
    const fit::Estimate& rate = fit.rate_estimates.front();
    columns.rows.push_back({arm.arm, std::to_string(arm.conversions()), text_of(fit), short_number(rate.value),
                            fmt::format("{} to {}", short_number(rate.low), short_number(rate.high))});
  }
  return columns;
}

/// Least d with P(D ≤ d) ≥ share: of the conversions that there will ever be.
std::int64_t quantile(const model::DelayLaw& law, double share) { return model::delay_at(law, 1 - share); }

std::optional<ExpectedRegret> expected_regret(const FittedLog& fitted) {
  constexpr std::int64_t kMostRounds = 100'000, kWork = 30'000'000;  // replicas × rounds × arms: about a second
  const auto arms = static_cast<std::int64_t>(fitted.log.counts.size());
  ExpectedRegret expected{.horizon = std::min(fitted.log.rows, kMostRounds), .replicas = 0, .regret = {}, .uniform = 0};
  expected.replicas = std::min<std::int64_t>(128, kWork / std::max<std::int64_t>(1, expected.horizon * arms));
  if (arms < 2 || expected.replicas < 8) return std::nullopt;
  try {
    sim::Settings settings;
    settings.theta = rates_of(fitted);
    settings.delay = model::parse_delays(delays_of(fitted));
    settings.censor = quantile(fitted.best().law(), 0.9);
    settings.horizon = expected.horizon;
    settings.at = {expected.horizon};
    settings.replicas = expected.replicas;
    settings.policies = {kLeaguesBest};
    if (!model::has_recursion(settings.delay)) settings.exposure = model::ExposureChoice(model::Exposure::approx, 1e-6);
    const sim::Spec spec(settings);
    expected.regret = sim::run(spec, {}).stats.policies.front().regret.back();
    expected.uniform = model::uniform_regret(spec.problem(), settings.censor, expected.horizon);
  } catch (const UserError&) {  // a rate of 0 or 1, say: a log can have what a spec may not
    return std::nullopt;
  }
  return expected;
}

std::vector<std::string> advice(const FittedLog& fitted) {
  std::vector<std::string> lines;
  const fit::Log& log = fitted.log;
  const model::DelayLaw law = fitted.best().law();
  const auto conversions = static_cast<double>(log.counted());
  const double gap = fit::largest_gap(fitted.shares.front()), band = fit::band_95(conversions);
  lines.push_back(
      gap <= band
          ? fmt::format("P–P: {} stays within the 95 % band (largest gap {:.3f}, band ± {:.3f})", fitted.best().family->name, gap, band)
          : fmt::format("P–P: {} leaves the 95 % band (largest gap {:.3f}, band ± {:.3f}): none of the laws is quite it",
                        fitted.best().family->name, gap, band));
  const auto least_aic = std::ranges::min_element(fitted.fits, {}, &fit::Fit::aic);
  if (&*least_aic != &fitted.best()) {
    lines.push_back(fmt::format("AIC, which asks for less evidence, prefers {}", text_of(*least_aic)));
  }
  if (fitted.one_law) {
    const auto& test = *fitted.one_law;
    lines.push_back(fmt::format("one law for all arms: a law each gains 2 ln L = {:.1f} with {} more, p = {:.2g}: {}", test.statistic,
                                plural(static_cast<std::int64_t>(test.degrees), "parameter"), test.p,
                                test.p < 0.01   ? "the arms differ"
                                : test.p < 0.05 ? "they may differ"
                                                : "nothing against it"));
  }
  const double mean = model::mean(law);
  const std::int64_t ninety = quantile(law, 0.9);
  lines.push_back(fmt::format("delay in rounds: mean {}, half within {}, 90 % within {}", short_number(mean), quantile(law, 0.5), ninety));
  if (ninety >= log.longest) {
    lines.push_back(fmt::format("no click was observed for as long as that ({} at most): the rate and the tail rest on the law alone",
                                plural(log.longest, "round")));
  }
  lines.push_back(fmt::format("a window that shows 90 % of the conversions: censor = {}", ninety));
  const double span = (log.last - log.first) / log.round;
  if (span > 0 && log.rows > 1) {
    const double a_round = static_cast<double>(log.rows) / span;
    if (a_round < 0.8 || a_round > 1.25) {
      lines.push_back(fmt::format("the log has {} clicks a round, a simulation one: with --round {} a round is a click",
                                  short_number(a_round), short_number(log.round / a_round)));
    }
  }
  if (log.counts.size() > 1) {
    if (const auto& expected = fitted.expected) {
      lines.push_back(fmt::format("the regret of {}, the league's best, there: {} in {} rounds ({}); of random play {}", kLeaguesBest,
                                  report::mean_text(expected->regret), expected->horizon, plural(expected->replicas, "replica"),
                                  short_number(expected->uniform)));
    }
    lines.push_back(
        fmt::format("and of others: dbandit run --theta {} --delay {} --censor {} --horizon {} --policies "
                    "d-ts,d-klucb,uncorrected-klucb",
                    fmt::join(rates_of(fitted), ","), delays_of(fitted), ninety, std::min<std::int64_t>(log.rows, 1'000'000'000)));
  }
  return lines;
}

Json interval_json(const fit::Estimate& estimate) {
  Json json{{"name", estimate.name}, {"value", estimate.value}};
  json["stderr"] = std::isnan(estimate.error) ? Json() : Json(estimate.error);
  json["ci95"] = estimate.method == fit::Method::none ? Json() : Json{estimate.low, estimate.high};
  json["method"] = words(estimate.method);
  return json;
}

Json estimates_json(const std::vector<fit::Estimate>& estimates) {
  Json json = Json::array();
  for (const fit::Estimate& estimate : estimates) json.push_back(interval_json(estimate));
  return json;
}

Json fit_object(const fit::Fit& fit) {
  Json json{{"law", fit.family->name},  {"delay", text_of(fit)}, {"parameters", fit.free()}, {"log_likelihood", fit.log_likelihood},
            {"aic", fit.aic},           {"bic", fit.bic},        {"values", fit.parameters}, {"rates", fit.rates},
            {"at_bound", at_bound(fit)}};
  if (!fit.parameter_estimates.empty()) {
    json["parameter_estimates"] = estimates_json(fit.parameter_estimates);
    json["rate_estimates"] = estimates_json(fit.rate_estimates);
  }
  return json;
}

}  // namespace

FittedLog fit_log(fit::Log log, std::span<const fit::Family* const> families) {
  FittedLog fitted;
  fitted.log = std::move(log);
  fitted.fits = fit::fit_all(fitted.log.counts, families);
  if (fitted.fits.empty()) throw UserError("--laws: none of these can have made the delays of the log");
  fit::estimate(fitted.fits.front(), fit::Likelihood(fitted.log.counts));
  for (std::size_t i = 0; i < std::min(kDrawn, fitted.fits.size()); ++i) {
    fitted.shares.push_back(fit::shares(fitted.log.counts, fitted.fits[i]));
  }
  fitted.one_law = fit::test_one_law(fitted.log.counts, *fitted.best().family);
  fitted.expected = expected_regret(fitted);
  return fitted;
}

std::string law_text(const model::DelayLaw& law) {
  return std::visit([](const auto& known) { return text_of(known); }, law);
}

std::string spec_lines(const FittedLog& fitted) {
  std::string text = fmt::format("theta = [{}]\ndelay = \"{}\"\n", fmt::join(rates_of(fitted), ", "), delays_of(fitted));
  if (fitted.log.window) text += fmt::format("censor = {}\n", *fitted.log.window - 1);
  return text;
}

std::string fit_table(const FittedLog& fitted, const report::Style& style) {
  std::string text = heading(fitted) + '\n' + laws_table(fitted).text(style) + '\n' + estimates_table(fitted).text(style) + '\n';
  if (fitted.one_law && fitted.one_law->p < 0.05) text += arms_table(fitted).text(style) + '\n';
  text += spec_lines(fitted) + '\n';
  for (const std::string& line : advice(fitted)) text += line + '\n';
  return text;
}

std::string fit_json(const FittedLog& fitted) {
  const fit::Log& log = fitted.log;
  Json arms = Json::array();
  for (const fit::ArmCounts& arm : log.counts) {
    arms.push_back({{"arm", arm.arm}, {"clicks", arm.clicks()}, {"conversions", arm.conversions()}});
  }
  Json fits = Json::array();
  for (const fit::Fit& fit : fitted.fits) fits.push_back(fit_object(fit));
  const model::DelayLaw law = fitted.best().law();
  const double mean = model::mean(law);
  Json json{{"schema", "dbandit.fit.v1"},
            {"log",
             {{"rows", log.rows},
              {"conversions", log.conversions},
              {"counted", log.counted()},
              {"too_young", log.too_young},
              {"round", log.round},
              {"longest_rounds", log.longest},
              {"window_rounds", log.window ? Json(*log.window) : Json()},
              {"arms", arms}}},
            {"spec", {{"theta", rates_of(fitted)}, {"delay", delays_of(fitted)}}},
            {"delay_rounds",
             {{"mean", std::isfinite(mean) ? Json(mean) : Json()}, {"median", quantile(law, 0.5)}, {"ninety_percent", quantile(law, 0.9)}}},
            {"fits", fits}};
  if (const auto& expected = fitted.expected) {
    const double half = stats::half_width_95(expected->regret);
    json["expected_regret"] = Json{{"policy", kLeaguesBest},
                                   {"censor", quantile(law, 0.9)},
                                   {"horizon", expected->horizon},
                                   {"replicas", expected->replicas},
                                   {"mean", expected->regret.mean},
                                   {"stderr", expected->regret.standard_error()},
                                   {"ci95", {expected->regret.mean - half, expected->regret.mean + half}},
                                   {"random_play", expected->uniform}};
  }
  if (fitted.one_law) {
    Json each = Json::array();
    for (std::size_t i = 0; i < fitted.one_law->fits.size(); ++i) {
      Json one{{"arm", log.counts[fitted.one_law->arms[i]].arm}};
      one["fit"] = fit_object(fitted.one_law->fits[i]);
      each.push_back(one);
    }
    json["one_law"] = Json{{"statistic", fitted.one_law->statistic}, {"degrees", fitted.one_law->degrees}, {"p", fitted.one_law->p}};
    json["one_law"]["arms"] = each;
  }
  json["pp"] = Json{{"law", fitted.best().family->name},
                    {"largest_gap", fit::largest_gap(fitted.shares.front())},
                    {"band95", fit::band_95(static_cast<double>(log.counted()))}};
  return json.dump() + '\n';
}

std::string fit_csv(const FittedLog& fitted) {
  std::string csv = "law,delay,expected,observed\n";
  for (std::size_t i = 0; i < fitted.shares.size(); ++i) {
    for (const fit::SharePoint& point : fitted.shares[i]) {
      fmt::format_to(std::back_inserter(csv), "{},{},{:.6f},{:.6f}\n", fitted.fits[i].family->name, point.delay, point.expected,
                     point.observed);
    }
  }
  return csv;
}

report::Drawing fit_drawing(const FittedLog& fitted) {
  using report::ink;
  using report::plot_data;
  using report::plot_text;
  const double band = fit::band_95(static_cast<double>(fitted.log.counted()));
  double widest = band;
  std::string data, curves, gaps;
  for (std::size_t i = 0; i < fitted.shares.size(); ++i) {
    constexpr std::size_t kMost = 2000;  // points that a line of a figure can show
    const auto& points = fitted.shares[i];
    std::vector<std::vector<double>> rows{{0, 0}};
    const std::size_t stride = points.size() / kMost + 1;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (j % stride == 0 || j + 1 == points.size()) rows.push_back({points[j].expected, points[j].observed});
    }
    widest = std::max(widest, fit::largest_gap(points));
    const std::string name = fmt::format("law{}", i);
    data += plot_data(name, rows);
    const std::string look = fmt::format("with lines lw 2.2 dt {} lc rgb '{}'", i + 1, ink(i).color);
    curves += fmt::format(", ${} using 1:2 {} title {}", name, look, plot_text(fitted.fits[i].family->name));
    gaps += fmt::format(", ${} using 1:($2-$1) {} notitle", name, look);
  }
  constexpr int kKeyLine = 20;
  const int key = kKeyLine * static_cast<int>(fitted.shares.size());
  report::Drawing drawing{.script = {}, .width = 1280, .height = 600 + key};
  const double height = drawing.height;
  drawing.script =
      fmt::format(R"({0}
set border 3 lc rgb '#444444'
set tics nomirror tc rgb '#222222'
set grid lt 1 lc rgb '#e4e4e4' lw 0.7
set key at screen 0.5, screen {7} center top vertical noenhanced Left reverse samplen 3.5
set multiplot title {1} noenhanced font ',17'
set label 1 {2} at screen 0.5, screen {8} center noenhanced font ',11' tc rgb '#444444'
set xrange [0:1]
set xlabel 'share of the conversions seen, expected'
set samples 2
set lmargin at screen 0.07
set rmargin at screen 0.485
set tmargin at screen {9}
set bmargin at screen {10}
set yrange [0:1]
set ylabel 'share of the conversions seen, observed'
plot '+' using 1:($1-{3}):($1+{3}) with filledcurves fs transparent solid 0.25 noborder lc rgb '#888888' notitle, x with lines lw 1 lc rgb '#444444' notitle{4}
unset label 1
unset key
set lmargin at screen 0.575
set rmargin at screen 0.98
set yrange [-{6}:{6}]
set ylabel 'observed − expected'
plot '+' using 1:(-{3}):({3}) with filledcurves fs transparent solid 0.25 noborder lc rgb '#888888' notitle, 0 with lines lw 1 lc rgb '#444444' notitle{5}
unset multiplot
)",
                  data, plot_text(fmt::format("Delays of {} conversions and the laws fitted to them", fitted.log.counted())),
                  plot_text("each point is a delay · shade: 95 % band around the law, for the whole curve · right: the same without "
                            "the diagonal"),
                  band, curves, gaps, widest * 1.25, (34 + key) / height, 15 / height, 1 - 72 / height, (92 + key) / height);
  return drawing;
}

}  // namespace dbandit::study
