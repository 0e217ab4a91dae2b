#include "given.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "core/split_list.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "sim/keys.hpp"

namespace dbandit::sim {

namespace {

using Reason = std::optional<std::string>;

template <class T>
bool parse(std::string_view text, T& value) {
  const auto number = parse_number<T>(text);
  if (number) value = *number;
  return number.has_value();
}

bool read(const Token& token, double& value) { return token.form != Form::word && token.form != Form::other && parse(token.text, value); }

/// A whole number, also as 1e4.
bool read(const Token& token, std::int64_t& value) {
  constexpr double kMostExact = 0x1p53;
  if (token.form == Form::word || token.form == Form::other) return false;
  if (token.form != Form::number && parse(token.text, value)) return true;
  double number = 0;
  if (!parse(token.text, number) || !(std::abs(number) <= kMostExact) || number != std::trunc(number)) return false;
  value = static_cast<std::int64_t>(number);
  return true;
}

/// A negative or larger number is not read at all, so that it can be quoted.
bool read(const Token& token, std::uint64_t& value) {
  std::int64_t number = 0;
  if (!read(token, number) || number < 0) return false;
  value = static_cast<std::uint64_t>(number);
  return true;
}

bool read(const Token& token, std::string& value) {
  value = token.text;
  return (token.form == Form::flag || token.form == Form::word) && !value.empty();
}

bool is_word(const Token& token, std::string_view expected) {
  std::string word;
  return read(token, word) && word == expected;
}

bool read(const Token& token, model::Window& value) {
  value.reset();
  return is_word(token, "none") || read(token, value.emplace());
}

template <class E>
requires std::is_enum_v<E>
bool read(const Token& token, E& value) {
  std::string word;
  const auto known = read(token, word) ? value_of<E>(word) : std::nullopt;
  if (known) value = *known;
  return known.has_value();
}

/// history, buffer, recursion or approx:ERROR.
bool read(const Token& token, model::ExposureChoice& value) {
  constexpr std::string_view kApprox = "approx:";
  std::string word;
  if (read(token, word) && word.starts_with(kApprox)) {
    value.form = model::Exposure::approx;
    return parse(std::string_view(word).substr(kApprox.size()), value.tolerance);
  }
  return read(token, value.form) && value.form != model::Exposure::approx;
}

template <class E>
bool read(const Token& token, Auto<E>& value) {
  value.reset();
  return is_word(token, "auto") || read(token, value.emplace());
}

std::string is_not(std::string_view text, std::string_view key) { return fmt::format("{} is not {}", dbandit::quoted(text), allowed(key)); }

template <class T>
Reason read_field(const Given& given, std::string_view key, T& value) {
  if (given.list) return fmt::format("a list is not {}", allowed(key));
  const Token& token = given.tokens.front();
  if (read(token, value)) return {};
  return is_not(token.text, key);
}

/// What a parser that throws makes of a text.
template <class Parse>
Reason parsed(const Given& given, std::string_view key, Parse parse) {
  std::string text;
  if (auto reason = read_field(given, key, text)) return reason;
  try {
    parse(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

/// The elements of a list; those of a flag stand between commas.
template <class Each>
Reason each_element(const Given& given, std::string_view key, Each each) {
  std::vector<Token> elements = given.tokens;
  if (!given.list) {
    if (given.tokens.front().form != Form::flag) return is_not(given.tokens.front().text, key);
    elements.clear();
    for (const std::string_view part : split_list(given.tokens.front().text)) elements.push_back({std::string(trimmed(part)), Form::flag});
  }
  if (elements.empty()) return fmt::format("an empty list is not {}", allowed(key));
  for (const Token& element : elements) {
    if (auto reason = each(element)) return reason;
  }
  return {};
}

std::string does_not_belong(const Token& element, std::string_view key) {
  const bool unseparated = element.text.find_first_of(" ;") != std::string::npos;
  return fmt::format("{} does not belong in {}{}", dbandit::quoted(element.text), allowed(key),
                     unseparated ? "; commas separate them" : "");
}

template <class T>
Reason read_field(const Given& given, std::string_view key, std::vector<T>& values) {
  return each_element(given, key, [&](const Token& element) {
    return read(element, values.emplace_back()) ? Reason{} : Reason(does_not_belong(element, key));
  });
}

Reason read_field(const Given& given, std::string_view key, std::vector<Policy>& policies) {
  return each_element(given, key, [&](const Token& element) -> Reason {
    std::string text;
    if (!read(element, text)) return does_not_belong(element, key);
    return parsed({{element}, false}, key, [&](const std::string& id) { policies.emplace_back(id); });
  });
}

Reason read_field(const Given& given, std::string_view key, model::Delays& delays) {
  return parsed(given, key, [&](const std::string& text) { delays = model::parse_delays(text); });
}

Reason read_field(const Given& given, std::string_view key, Assumption& assumption) {
  return parsed(given, key, [&](const std::string& text) {
    assumption.reset();
    if (text == "common") assumption.emplace(std::vector<model::DelayLaw>{});
    if (text != "common" && text != "world") assumption = model::parse_delays(text);
  });
}

Reason read_field(const Given& given, std::string_view key, std::optional<Until>& until) {
  return parsed(given, key, [&](const std::string& text) {
    until.reset();
    if (text != "none") until = Until(text);
  });
}

}  // namespace

Reason assign_given(Settings& settings, std::string_view key, const Given& given) {
  Reason reason = "is unknown" + did_you_mean(key, key_names());
  for_each_key([&]<class T, class Allowed>(const Key<T, Allowed>& known) {
    if (known.name != key) return;
    T value{};
    reason = read_field(given, key, value);
    if (!reason) settings.*known.field = std::move(value);
  });
  return reason;
}

void assign(SpecDraft& draft, std::string_view key, std::string_view text) {
  const std::string flag = "--" + std::string(key);
  if (const auto reason = assign_given(draft.settings, key, {{{std::string(text), Form::flag}}, false}))
    throw UserError(flag + ": " + *reason);
  draft.said.insert_or_assign(std::string(key), flag);
}

SpecDraft merge(SpecDraft draft, const SpecDraft& overrides) {
  for_each_key([&](const auto& key) {
    const auto said = overrides.said.find(key.name);
    if (said == overrides.said.end()) return;
    draft.settings.*key.field = overrides.settings.*key.field;
    draft.said.insert_or_assign(said->first, said->second);
  });
  return draft;
}

}  // namespace dbandit::sim
