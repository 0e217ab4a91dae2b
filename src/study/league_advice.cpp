#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "study/league_words.hpp"

namespace dbandit::study {
namespace {

using Row = const Standing*;

std::vector<Row> candidates(const std::vector<Standing>& table, bool told_nothing) {
  std::vector<Row> rows;
  for (const Standing& row : table) {
    if (row.ranked && !(told_nothing && row.knows.of_delays())) rows.push_back(&row);
  }
  return rows;
}

/// Who leads, and whether the problems tell it from those behind. `told_nothing`: among those that know nothing of the delays.
std::string sentence(std::string_view condition, std::span<const Unit> units, const std::vector<Standing>& table, bool told_nothing) {
  const std::vector<Row> rows = candidates(table, told_nothing);
  const Standing& first = *rows.front();
  std::vector<std::string> alike;
  Row beaten = nullptr;
  for (const Row row : rows) {
    if (row == &first) continue;
    const Interval apart = log_lag(units, row->policy, first.policy);
    if (apart.low <= 0) {
      alike.push_back(fmt::format("`{}`", row->policy));
    } else if (beaten == nullptr) {
      beaten = row;
    }
  }
  const Interval& over = told_nothing ? first.over_blind : first.over_best;
  const std::string shown = fmt::format(
      "{} times the least regret{} (95 % over the problems: {} to {}), {} at worst ({}), not told from the best{} on {} of {} problems",
      times(over.value), told_nothing ? " of these" : "", times(over.low), times(over.high),
      times(told_nothing ? first.blind_worst : first.worst), told_nothing ? first.blind_worst_in : first.worst_in,
      told_nothing ? " of all" : "", first.as_good, units.size());
  const std::string next = beaten != nullptr ? fmt::format(" The first that is surely behind is `{}` ({}).", beaten->policy,
                                                           times(told_nothing ? beaten->over_blind.value : beaten->over_best.value))
                                             : "";
  if (alike.empty()) return fmt::format("{}: play `{}`: {}.{}", condition, first.policy, shown, next);
  return fmt::format("{}: `{}` or {}; these problems do not tell them apart. `{}` has {}.{}", condition, first.policy,
                     fmt::join(alike, ", "), first.policy, shown, next);
}

std::string risk(std::span<const Unit> units, const std::vector<Standing>& table) {
  const std::vector<Row> rows = candidates(table, false);
  const auto supported = [](Row row) { return std::isfinite(row->p99); };
  if (!std::ranges::any_of(rows, supported)) return "If a bad run is what hurts: unknown, the replicas support no 99 % quantile.";
  const Row safest = *std::ranges::min_element(rows, {}, &Standing::p99);
  const Standing& first = *rows.front();
  if (safest == &first)
    return fmt::format("If a bad run is what hurts, the same: the 99 % quantile of `{}` is {} times the best's mean, the least of all.",
                       first.policy, times(first.p99));
  const std::optional<Interval> apart = log_lag_p99(units, first.policy, safest->policy);
  const std::string known = apart ? fmt::format("{} [{}, {}]{}", times(std::exp(apart->value)), times(std::exp(apart->low)),
                                                times(std::exp(apart->high)), apart->low <= 0 ? ": not told apart" : "")
                                  : std::string("unknown");
  return fmt::format(
      "If a bad run is what hurts: the 99 % quantile of `{}` is the least, {} times the best's mean; that of `{}` over it is {}.",
      safest->policy, times(safest->p99), first.policy, known);
}

/// Of two policies that differ in one thing: on how many problems each is surely better.
std::string duel(std::span<const Unit> units, std::string_view a, std::string_view b) {
  int less = 0;
  for (const Unit& unit : units) less += unit.log_ratio(a) < unit.log_ratio(b);
  const Interval apart = log_lag(units, a, b);
  const std::string_view verdict = apart.high < 0 ? "is better than" : apart.low > 0 ? "is worse than" : "is not told from";
  return fmt::format("`{}` {} `{}`: less regret on {} of {} problems, {} times as much on average [{}, {}].", a, verdict, b, less,
                     units.size(), times(std::exp(apart.value)), times(std::exp(apart.low)), times(std::exp(apart.high)));
}

std::string priors(std::span<const Unit> units) {
  double most = 0;
  std::string by, in;
  for (const Place& place : units.front().places.front()) {
    const std::string base(place.policy.substr(0, place.policy.find('(')));
    for (const Unit& unit : units) {
      const double ratio = base == place.policy ? 0 : std::exp(unit.log_ratio(place.policy) - unit.log_ratio(base));
      if (ratio > most) most = ratio, by = place.policy, in = unit.problem->name;
    }
  }
  if (by.empty()) return "How much the prior of a sampler matters: unknown, none was varied.";
  return fmt::format("A sampler needs a prior: `{}` has {} times the regret of the plain one on {}.", by, times(most), in);
}

}  // namespace

std::vector<std::string> advice(std::span<const sim::Result> results, std::span<const Match> matches) {
  const std::vector<Unit> window = units(results, matches, Division::window), none = units(results, matches, Division::no_window);
  const std::vector<Standing> table = standings(window), without = standings(none);
  return {sentence("If you know the law of the delays", window, table, false),
          sentence("If you know nothing of the delays", window, table, true),
          risk(window, table),
          duel(window, "uncorrected-ts", "uncorrected-klucb"),
          duel(window, "d-ts", "d-klucb"),
          priors(window),
          sentence("If you never give up waiting for a conversion", none, without, false)};
}

}  // namespace dbandit::study
