#include "sim/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::sim {

namespace {

using Reason = std::optional<std::string>;
using Views = std::vector<std::string_view>;

template <class T>
std::string ends(const Range<T>& range) {
  return fmt::format("from {} to {}", range.low_words.empty() ? fmt::format("{}", range.low) : range.low_words, range.high);
}

/// The names that a value may have; none when it is not named.
template <class T, class Allowed>
Views names_of(T /*tag*/, const Allowed& /*allowed*/) {
  return {};
}
template <class E>
Views names_of(E /*tag*/, const Names& /*allowed*/) {
  Views names;
  for (const auto& named : kNames<E>) names.push_back(named.name);
  return names;
}
template <class E>
Views names_of(Auto<E> /*tag*/, const NamesOrAuto& /*allowed*/) {
  Views names = names_of(E{}, Names{});
  names.insert(names.begin(), "auto");
  return names;
}
Views names_of(const Auto<model::ExposureChoice>& /*tag*/, const Exposures& /*allowed*/) {
  Views names = names_of(Auto<model::Exposure>{}, NamesOrAuto{});
  std::ranges::replace(names, name_of(model::Exposure::approx), "approx:ERROR");
  return names;
}

/// What is allowed, as a noun.
template <class T, class Allowed>
std::string words(const Key<T, Allowed>& key) {
  return fmt::format("one of: {}", fmt::join(names_of(T{}, key.allowed), " "));
}
template <class T>
std::string words(const Key<T, Range<T>>& key) {
  return (std::is_integral_v<T> ? "an integer " : "a number ") + ends(key.allowed);
}
template <class T>
std::string words(const Key<std::optional<T>, RangeOrNone<T>>& key) {
  return fmt::format("an integer {}, or none", ends(key.allowed.range));
}
template <class T>
std::string words(const Key<std::vector<T>, ListOf<T>>& key) {
  const ListOf<T>& list = key.allowed;
  return fmt::format("a list of 1 to {} {}", list.most, list.words.empty() ? "numbers " + ends(list.range) : list.words);
}
template <class T>
std::string words(const Key<T, Parsed>& key) {
  return std::string(key.allowed.words);
}

/// Why a value of the right type is not allowed.
template <class T, class Allowed>
Reason reason(const T& /*value*/, const Allowed& /*allowed*/, std::string_view /*words*/) {
  return {};
}
template <class T>
Reason reason(const T& value, const Range<T>& range, std::string_view words) {
  if (range.low <= value && value <= range.high) return {};
  return fmt::format("{} is not {}", value, words);
}
template <class T>
Reason reason(const std::optional<T>& value, const RangeOrNone<T>& allowed, std::string_view words) {
  return value ? reason(*value, allowed.range, words) : Reason{};
}
template <class T>
Reason reason(const std::vector<T>& values, const ListOf<T>& allowed, std::string_view words) {
  if (values.empty()) return fmt::format("an empty list is not {}", words);
  if (values.size() > allowed.most + allowed.spare) return fmt::format("a list of {} is not {}", values.size(), words);
  for (const T& value : values) {
    if (reason(value, allowed.range, words)) return fmt::format("{} does not belong in {}", value, words);
  }
  return {};
}
Reason reason(const std::vector<Policy>& policies, const Parsed& /*allowed*/, std::string_view words) {
  return policies.empty() ? Reason(fmt::format("an empty list is not {}", words)) : Reason{};
}
/// The text of a law is checked where it is read; these are the laws of a program.
Reason reason(const model::Delays& delays, const Parsed& /*allowed*/, std::string_view /*words*/) {
  if (!delays.common() && delays.laws.size() > kMostLaws)
    return fmt::format("{} laws; allowed are at most {}", delays.laws.size(), kMostLaws);
  for (const model::DelayLaw& law : delays.laws) {
    if (std::holds_alternative<model::Discretised>(law)) continue;  // read from text, and an infinite mean is fine within a window
    const double mean = model::mean(law);
    if (!(mean >= 0) || std::isinf(mean)) return fmt::format("a mean of {} is not finite and at least 0", mean);
  }
  return {};
}
Reason reason(const Assumption& assumption, const Parsed& allowed, std::string_view words) {
  return assumption ? reason(*assumption, allowed, words) : Reason{};
}
Reason reason(const Auto<model::ExposureChoice>& choice, const Exposures& allowed, std::string_view words) {
  if (!choice || *choice != model::Exposure::approx || !reason(choice->tolerance, allowed.error, words)) return {};
  return fmt::format("{} is not approx:ERROR with an error of the CDF {}", exposure_text(*choice), ends(allowed.error));
}

/// The default as a flag would say it, and the note on it.
template <class T, class Allowed>
std::string help(const Key<T, Allowed>& key) {
  std::string text(key.help);
  if (key.required) return text;
  const std::string plain = key_flag(Settings{}, key.name);
  text += "; default " + plain;
  if (!key.note.empty()) text.append(plain.empty() ? "" : ", ").append(key.note);
  return text;
}

template <class T, class Allowed>
KeyWords in_words(const Key<T, Allowed>& key) {
  KeyWords row{.name = key.name,
               .allowed = words(key),
               .metavar = std::string(key.metavar),
               .group = key.group,
               .help = help(key),
               .names = names_of(T{}, key.allowed),
               .is_list = std::is_same_v<T, std::vector<Policy>>,
               .required = key.required};
  if (row.metavar.empty()) row.metavar = fmt::format("{}", fmt::join(row.names, "|"));
  std::erase(row.names, "approx:ERROR");  // not a word to complete
  if (row.is_list) std::ranges::transform(policy::catalogue(), std::back_inserter(row.names), &policy::Entry::id);
  return row;
}

const KeyWords* find(std::string_view name) {
  const auto row = std::ranges::find(key_words(), name, &KeyWords::name);
  return row == key_words().end() ? nullptr : &*row;
}

}  // namespace

const std::vector<KeyWords>& key_words() {
  static const std::vector<KeyWords> rows = [] {
    std::vector<KeyWords> all;
    for_each_key([&](const auto& key) { all.push_back(in_words(key)); });
    return all;
  }();
  return rows;
}

std::string_view allowed(std::string_view key) {
  const KeyWords* const row = find(key);
  return row != nullptr ? std::string_view(row->allowed) : std::string_view{};
}

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(key_words(), std::back_inserter(names), &KeyWords::name);
  return names;
}

namespace {

template <class T, class Allowed>
bool is_missing(const SpecDraft& draft, const Key<T, Allowed>& key) {
  return key.required && draft.settings.*key.field == Settings{}.*key.field && !draft.said.contains(key.name);
}

}  // namespace

std::optional<Refusal> refused_value(const SpecDraft& draft) {
  std::optional<Refusal> refused;
  for_each_key([&](const auto& key) {
    if (refused) return;
    const auto& value = draft.settings.*key.field;
    if (is_missing(draft, key)) {
      refused = {key.name, fmt::format("is missing; give {}", allowed(key.name))};
      std::vector<std::string> others;
      for_each_key([&](const auto& other) {
        if (other.name != key.name && is_missing(draft, other)) others.push_back("--" + std::string(other.name));
      });
      if (!others.empty()) refused->reason += fmt::format("; missing too: {}", fmt::join(others, ", "));
    } else if (auto why = reason(value, key.allowed, allowed(key.name))) {
      refused = {key.name, std::move(*why)};
    }
  });
  return refused;
}

}  // namespace dbandit::sim
