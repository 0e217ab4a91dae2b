#include "report/risk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/text.hpp"
#include "model/uniform_play.hpp"
#include "report/csv.hpp"

namespace dbandit::report {
namespace {

struct Figure {
  std::string_view name;
  stats::RiskFigure stats::Risk::*of;
};
constexpr std::array<Figure, kRiskFigures> kFigures{
    {{"p95", &stats::Risk::p95}, {"p99", &stats::Risk::p99}, {"shortfall", &stats::Risk::shortfall}, {"above", &stats::Risk::above}}};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// To the second digit of the narrower half of the interval.
std::string text(const stats::RiskFigure& figure, double scale) {
  const double half = std::min(figure.value - figure.low, figure.high - figure.value) * scale;
  const int digits = half > 0 && std::isfinite(half) ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 4) : 1;
  const auto end = [&](double value) { return std::isfinite(value) ? fmt::format("{:.{}f}", value * scale, digits) : std::string("?"); };
  return fmt::format("{} [{}, {}]", end(figure.value), end(figure.low), end(figure.high));
}

}  // namespace

std::vector<stats::Risk> risks(const sim::Result& result) {
  std::vector<stats::Risk> all;
  const sim::Spec& spec = result.spec;
  assert(!result.stats.policies.front().spread.empty());
  for (std::size_t p = 0; p < spec->policies.size(); ++p) {
    const double uniform = model::uniform_regret(spec.problem(), spec.window(spec->policies[p]), spec->horizon);
    all.push_back(stats::risk(result.stats.policies[p].final_regret(), uniform / 4, result.interval_alpha));
  }
  return all;
}

std::string risk_csv(const sim::Result& result) {
  std::string csv = std::string(kRiskHeading) + '\n';
  const std::vector<stats::Risk> all = risks(result);
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (const Figure& figure : kFigures) {
      const stats::RiskFigure& one = all[p].*figure.of;
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{}\n", csv_cell(result.spec->policies[p].id), figure.name, one.value, one.low,
                     one.high, all[p].bar);
    }
  }
  return csv;
}

Json risk_json(const sim::Result& result) {
  Json list = Json::array();
  const std::vector<stats::Risk> all = risks(result);
  for (std::size_t p = 0; p < all.size(); ++p) {
    Json one{{"policy", result.spec->policies[p].id}};
    for (const Figure& figure : kFigures) {
      const stats::RiskFigure& of = all[p].*figure.of;
      one[std::string(figure.name)] = {{"value", of.value}, {"ci95", {number(of.low), number(of.high)}}};
    }
    one["bar"] = all[p].bar;
    one["replicas"] = all[p].count;
    one["replicas_for_p99"] = all[p].needed;
    list.push_back(std::move(one));
  }
  return list;
}

std::string risk_table(const sim::Result& result, const Style& style) {
  const std::vector<stats::Risk> all = risks(result);
  Columns columns{.align = {Align::left, Align::right, Align::right, Align::right, Align::right},
                  .rows = {{"risk of", "p95 regret", "p99 regret", "mean of the worst 5 %", "% above uniform/4"}},
                  .highlight = {}};
  for (std::size_t p = 0; p < all.size(); ++p) {
    const stats::Risk& risk = all[p];
    columns.rows.push_back(
        {result.spec->policies[p].id, text(risk.p95, 1), text(risk.p99, 1), text(risk.shortfall, 1), text(risk.above, 100)});
  }
  std::string notes =
      "risk: of the final regret over the replicas; 95 % intervals, exact whatever its law, but for the mean of the worst 5 %: "
      "large-sample, too short where replicas are few";
  if (!all.empty() && all.front().count < all.front().needed) {
    notes +=
        fmt::format("\nwarning: {} cannot bound p99 from above (?); that takes {}, p95 takes {}", counted(all.front().count, "replica"),
                    all.front().needed, stats::replicas_for_quantile(0.95, result.interval_alpha));
  }
  return columns.text(style) + "\n" + style.dim(notes) + "\n";
}

}  // namespace dbandit::report
