#include "given.hpp"

#include <charconv>
#include <concepts>
#include <limits>
#include <system_error>
#include <type_traits>

#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/sim/names.hpp"

namespace dbandit::sim {

namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

bool read(const Token& token, double& value) {
  if (token.form == Form::word || token.form == Form::other || !parse(token.text, value)) return false;
  value += 0.0;  // −0 becomes 0
  return true;
}

bool read(const Token& token, std::int64_t& value) {
  return (token.form == Form::flag || token.form == Form::integer) && parse(token.text, value);
}

/// Up to 2^63 − 1, the largest integer of a TOML file, so that every seed can be written down.
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

bool read(const Token& token, model::Window& value) {
  std::string word;
  std::int64_t rounds = 0;
  const bool none = read(token, word) && word == "none";
  if (!none && !read(token, rounds)) return false;
  value = none ? model::Window{} : rounds;
  return true;
}

template <class E>
requires std::is_enum_v<E>
bool read(const Token& token, E& value) {
  std::string word;
  const auto known = read(token, word) ? value_of<E>(word) : std::nullopt;
  if (known) value = *known;
  return known.has_value();
}

template <class E>
requires std::is_enum_v<E>
bool read(const Token& token, Auto<E>& value) {
  std::string word;
  value.reset();
  return (read(token, word) && word == "auto") || read(token, value.emplace());
}

/// history, buffer, recursion or approx:ERROR.
bool read(const Token& token, Auto<model::ExposureChoice>& value) {
  constexpr std::string_view kApprox = "approx:";
  std::string word;
  value.reset();
  if (!read(token, word)) return false;
  if (word == "auto") return true;
  value.emplace();
  if (word.starts_with(kApprox)) {
    value->form = model::Exposure::approx;
    return parse(std::string_view(word).substr(kApprox.size()), value->tolerance);
  }
  const auto known = value_of<model::Exposure>(word);
  if (known) value->form = *known;
  return known && *known != model::Exposure::approx;
}

std::vector<Token> split(const Token& flag) {
  std::vector<Token> parts;
  for (std::size_t from = 0; from <= flag.text.size();) {
    const std::size_t comma = std::min(flag.text.find(',', from), flag.text.size());
    std::string_view part = std::string_view(flag.text).substr(from, comma - from);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back({std::string(part), flag.form});
    from = comma + 1;
  }
  return parts;
}

std::string is_not(std::string_view text, std::string_view key) { return dbandit::quoted(text) + " is not " + allowed(key); }

template <class T>
std::optional<std::string> read_field(const Given& given, std::string_view key, T& value) {
  if (given.list) return "a list is not " + allowed(key);
  const Token& token = given.tokens.front();
  if (read(token, value)) return std::nullopt;
  return is_not(token.text, key);
}

template <class T>
std::optional<std::string> read_field(const Given& given, std::string_view key, std::vector<T>& values) {
  if (!given.list && given.tokens.front().form != Form::flag) return is_not(given.tokens.front().text, key);
  for (const Token& token : given.list ? given.tokens : split(given.tokens.front())) {
    if (!read(token, values.emplace_back())) return dbandit::quoted(token.text) + " does not belong in " + allowed(key);
  }
  if (values.empty()) return "an empty list is not " + allowed(key);
  return std::nullopt;
}

std::optional<std::string> read_field(const Given& given, std::string_view key, model::Delays& delays) {
  std::string text;
  if (auto wrong = read_field(given, key, text)) return wrong;
  try {
    delays = model::parse_delays(text);
  } catch (const UserError& error) {
    constexpr std::string_view subject = "delay ";  // the key says it
    std::string_view line = error.what();
    if (line.starts_with(subject)) line.remove_prefix(subject.size());
    return std::string(line);
  }
  return std::nullopt;
}

std::optional<std::string> read_field(const Given& given, std::string_view key, Assumption& assumption) {
  std::string text;
  if (auto wrong = read_field(given, key, text)) return wrong;
  assumption.reset();
  if (text == "world") return std::nullopt;
  assumption.emplace(std::vector<model::DelayLaw>{});
  return text == "common" ? std::nullopt : read_field(given, key, *assumption);
}

}  // namespace

std::optional<std::string> assign_given(SpecDraft& draft, std::string_view key, const Given& given) {
  std::optional<std::string> wrong = "is unknown" + did_you_mean(key, key_names());
  for_each_key([&]<class T, class Resolved>(const Key<T, Resolved>& known) {
    if (known.name != key) return;
    T value{};
    wrong = read_field(given, key, value);
    if (!wrong) draft.*known.field = std::move(value);
  });
  return wrong;
}

}  // namespace dbandit::sim
