#include "sim/policy_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/split_list.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "sim/keys.hpp"

namespace dbandit::sim {

namespace {

using model::IndexForm;
using model::Rule;
using model::Statistic;
using policy::Entry;

bool draws(const Entry& entry) { return entry.index == IndexForm::thompson || entry.statistic == Statistic::queue_heuristic; }
bool takes_turns(const Entry& entry) { return entry.index == IndexForm::batches || entry.index == IndexForm::phases; }
bool is_kl(const Entry& entry) {
  return entry.statistic != Statistic::none && (entry.index == IndexForm::klucb || entry.index == IndexForm::bernkl);
}
bool explores(const Entry& entry) {
  const bool is_ucb = entry.index == IndexForm::ucb || entry.index == IndexForm::patient;
  return is_kl(entry) || (is_ucb && entry.statistic != Statistic::none);
}

constexpr auto kSettings = std::to_array<PolicySetting>({
    {"epsilon", &Rule::epsilon, kEpsilons.low, kEpsilons.high, explores, "exploration: beta(t) = (1+E) ln t"},
    {"clamp", &Rule::clamp, 0, 0, is_kl, "whether a KL index is capped at 1"},
    {"ties", &Rule::ties, 0, 0, [](const Entry& entry) { return !takes_turns(entry); }, "who wins a tie of indices"},
    {"start", &Rule::start, 0, 0, [](const Entry&) { return true; }, "order of the first pull of each arm"},
    {"radius", &Rule::radius, 0, 0,
     [](const Entry& entry) { return entry.statistic == Statistic::matured && entry.index == IndexForm::ucb; },
     "confidence radius of discard-ucb"},
    {"gamma", &Rule::gamma, kGammas.low, kGammas.high, [](const Entry& entry) { return entry.statistic == Statistic::agnostic_mean; },
     "the n-th observed delay has weight n^-G"},
    {"prior-shape", &Rule::prior_shape, kPriorShapes.low, kPriorShapes.high, draws,
     "theta ~ Gamma(A, rate B) before the first round; discard-ts: Beta(A, B)"},
    {"prior-rate", &Rule::prior_rate, kPriorRates.low, kPriorRates.high, draws, "B of that law"},
    {"alpha", &Rule::alpha, 0.01, 1, [](const Entry& entry) { return entry.index == IndexForm::patient; },
     "tail of the delays, P(D > d) <= d^-A; from 0.5 on nothing changes"},
});

/// Reads a value; whether it is allowed.
bool read(std::string_view text, const PolicySetting& setting, double Rule::*field, Rule& rule) {
  const auto number = parse_number<double>(text);
  if (number) rule.*field = *number;
  return number && setting.low <= *number && *number <= setting.high;
}
template <class E>
bool read(std::string_view text, const PolicySetting& /*setting*/, E Rule::*field, Rule& rule) {
  const auto value = value_of<E>(text);
  if (value) rule.*field = *value;
  return value.has_value();
}

std::string text_of(double value) { return fmt::format("{}", value); }
template <class E>
std::string text_of(E value) {
  return std::string(name_of(value));
}

std::string names(double Rule::* /*field*/) { return {}; }
template <class E>
std::string names(E Rule::* /*field*/) {
  std::string all;
  for (const auto& named : kNames<E>) all.append(" ").append(named.name);
  return all;
}

std::string text(const PolicySetting& setting, const Rule& rule) {
  return std::visit([&](auto field) { return text_of(rule.*field); }, setting.field);
}

const PolicySetting* find(std::string_view name) {
  const auto* found = std::ranges::find(kSettings, name, &PolicySetting::name);
  return found == kSettings.end() ? nullptr : found;
}

}  // namespace

std::span<const PolicySetting> policy_settings() { return kSettings; }

std::vector<std::string_view> settings_of(const policy::Entry& entry) {
  std::vector<std::string_view> names;
  for (const PolicySetting& setting : kSettings) {
    if (setting.is_of(entry)) names.push_back(setting.name);
  }
  return names;
}

std::string allowed(const PolicySetting& setting) {
  const std::string words = std::visit([](auto field) { return names(field); }, setting.field);
  return words.empty() ? fmt::format("a number from {} to {}", setting.low, setting.high) : "one of:" + words;
}

std::string plain_value(const PolicySetting& setting) { return text(setting, Rule{}); }

std::vector<GivenSetting> parse_settings(const policy::Entry& entry, std::string_view text_of_all) {
  const std::vector<std::string_view> has = settings_of(entry);
  std::vector<GivenSetting> given;
  for (const std::string_view part : split_list(text_of_all)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = trimmed(part.substr(0, equals));
    if (equals == part.size()) throw UserError(fmt::format("{} of '{}' is not NAME=VALUE", dbandit::quoted(trimmed(part)), entry.id));
    if (std::ranges::find(has, name) == has.end()) {
      throw UserError(fmt::format("'{}' has no setting {}{}; it has: {}", entry.id, dbandit::quoted(name), did_you_mean(name, has),
                                  fmt::join(has, " ")));
    }
    if (std::ranges::find(given, name, &GivenSetting::name) != given.end())
      throw UserError(fmt::format("'{}': {} is given twice", entry.id, name));
    const std::string_view value = trimmed(part.substr(equals + 1));
    const PolicySetting& setting = *find(name);
    Rule rule;
    if (!std::visit([&](auto field) { return read(value, setting, field, rule); }, setting.field))
      throw UserError(fmt::format("'{}': {}: {} is not {}", entry.id, name, dbandit::quoted(value), allowed(setting)));
    given.push_back({std::string(name), text(setting, rule)});
  }
  std::ranges::sort(given, {}, [](const GivenSetting& one) { return find(one.name); });
  return given;
}

void apply_settings(std::span<const GivenSetting> settings, model::Rule& rule) {
  for (const GivenSetting& given : settings) {
    const PolicySetting& setting = *find(given.name);
    std::visit([&](auto field) { read(given.value, setting, field, rule); }, setting.field);
  }
}

}  // namespace dbandit::sim
