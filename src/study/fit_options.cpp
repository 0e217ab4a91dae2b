#include "study/fit_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit::study {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr auto kUnits = std::to_array<Unit>({{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});

/// The unit of the log's times.
const Unit& log_unit(const std::optional<std::string>& option) {
  const std::string name = option.value_or("s");
  const auto* unit = std::ranges::find(kUnits, std::string_view(name), &Unit::name);
  if (unit == kUnits.end())
    throw UserError(fmt::format("--unit: {} is not one of: {}", dbandit::quoted(name), fmt::join(unit_names(), " ")));
  return *unit;
}

/// "250" in the log's unit, or "10m" in a unit of its own.
std::optional<double> duration(const std::optional<std::string>& option, std::string_view flag, const Unit& log) {
  if (!option) return std::nullopt;
  const std::string& text = *option;
  const std::size_t digits = text.find_last_of("0123456789.") + 1;
  const std::string_view suffix = std::string_view(text).substr(digits);
  const auto* unit = std::ranges::find(kUnits, suffix, &Unit::name);
  const double scale = suffix.empty() ? 1 : unit != kUnits.end() ? unit->seconds / log.seconds : -1;
  const double value = parse_number<double>(std::string_view(text).substr(0, digits)).value_or(-1) * scale;
  if (!(value > 0 && value < 1e18)) {
    throw UserError(
        fmt::format("--{}: {} is not a time: a number above 0 in the log's unit, or one with a unit of its own, as in 10m (one of {})",
                    flag, dbandit::quoted(text), fmt::join(unit_names(), " ")));
  }
  return value;
}

std::vector<fit::LogOptions::Column> columns(const std::optional<std::string>& option) {
  std::vector<fit::LogOptions::Column> renamed;
  if (!option) return renamed;
  constexpr std::array<std::string_view, 4> kRoles{"start", "conversion", "arm", "end"};
  for (const std::string_view pair : split(*option, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view role = pair.substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == pair.size() || std::ranges::find(kRoles, role) == kRoles.end()) {
      throw UserError(fmt::format("--columns: {} is not ROLE=NAME with a role of: {}; as in start=click_time,conversion=sale_time",
                                  dbandit::quoted(pair), fmt::join(kRoles, " ")));
    }
    renamed.push_back({std::string(role), std::string(pair.substr(equals + 1))});
  }
  return renamed;
}

}  // namespace

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(kUnits, std::back_inserter(names), &Unit::name);
  return names;
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const fit::Family& family : fit::families()) {
    if (std::ranges::find(names, family.law) == names.end()) names.push_back(family.law);
  }
  return names;
}

std::vector<const fit::Family*> families_of(const FitTexts& texts) {
  std::vector<std::string_view> wanted = law_names();
  if (texts.laws) {
    const std::vector<std::string_view> known = wanted;
    wanted = split(*texts.laws, ',');
    for (const std::string_view name : wanted) {
      if (std::ranges::find(known, name) == known.end()) {
        throw UserError(
            fmt::format("--laws: {} is not one of: {}{}", dbandit::quoted(name), fmt::join(known, " "), did_you_mean(name, known)));
      }
    }
  }
  std::vector<const fit::Family*> chosen;
  for (const fit::Family& family : fit::families()) {
    if (std::ranges::find(wanted, family.law) != wanted.end()) chosen.push_back(&family);
  }
  return chosen;
}

fit::LogOptions log_options(const FitTexts& texts) {
  const Unit& unit = log_unit(texts.unit);
  fit::LogOptions options;
  options.round = duration(texts.round, "round", unit);
  options.window = duration(texts.window, "window", unit);
  options.columns = columns(texts.columns);
  if (texts.end) {
    options.end = parse_number<double>(*texts.end);
    if (!options.end || !(std::abs(*options.end) < 1e18)) {
      throw UserError(fmt::format("--end: {} is not a time of the log, a number in its unit", dbandit::quoted(*texts.end)));
    }
  }
  return options;
}

}  // namespace dbandit::study
