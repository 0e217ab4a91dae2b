#include "dbandit/sim/spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ascii_toml.hpp"
#include "checks.hpp"
#include "core/file.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "given.hpp"
#include "sim/keys.hpp"

// The parser asserts on some malformed headers (`[##`) that it then reports as errors all the same.
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace dbandit::sim {

namespace {

constexpr std::size_t kLongestFile = 1 << 20;

template <class Line>
std::string place(const std::string& name, Line line) {
  return fmt::format("{}:{}", name, line);
}

/// The parser's behaviour is undefined on some bytes beyond ASCII.
std::string ascii_of(std::string_view text, const std::string& name) {
  AsciiToml ascii = ascii_toml(text);
  if (!ascii.wrong.empty()) throw UserError(fmt::format("{}: {}", place(name, ascii.line), ascii.wrong));
  return std::move(ascii.text);
}

/// A file of empirical:FILE lies beside the spec that names it.
std::string beside(const std::filesystem::path& folder, std::string_view laws) {
  constexpr std::string_view kEmpirical = "empirical:";
  std::string text;
  for (const std::string_view law : split(laws, ',')) {
    const std::string_view file = law.starts_with(kEmpirical) ? law.substr(kEmpirical.size()) : std::string_view{};
    const bool is_file = !file.empty() && file.find('*') == std::string_view::npos;
    text.append(text.empty() ? "" : ",").append(is_file ? std::string(kEmpirical) + (folder / file).string() : std::string(law));
  }
  return text;
}

Token token_of(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return {fmt::format("{}", integer->get()), Form::integer};
  if (const auto* number = node.as_floating_point()) return {fmt::format("{}", number->get()), Form::number};
  if (const auto* word = node.as_string()) return {word->get(), Form::word};
  if (const auto* truth = node.as_boolean()) return {truth->get() ? "true" : "false", Form::other};
  return {node.is_table() ? "{...}" : node.is_array() ? "[...]" : "a date", Form::other};
}

Given given_of(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return {{token_of(node)}, false};
  Given given{{}, true};
  for (const toml::node& element : *list) given.tokens.push_back(token_of(element));
  return given;
}

/// Values as the file has them.
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(std::uint64_t value) { return fmt::format("{}", value); }
std::string text_of(const std::string& value) { return fmt::format("\"{}\"", value); }
std::string text_of(const model::Delays& value) { return text_of(model::delays_text(value)); }
std::string text_of(const Assumption& value) { return !value ? "\"world\"" : value->laws.empty() ? "\"common\"" : text_of(*value); }
std::string text_of(const Policy& value) { return text_of(value.text()); }
std::string text_of(const std::optional<Until>& value) { return text_of(value ? value->text() : "none"); }
std::string text_of(const model::ExposureChoice& value) { return text_of(exposure_text(value)); }
std::string text_of(const model::Window& value) { return value ? text_of(*value) : "\"none\""; }
template <class E>
requires std::is_enum_v<E> std::string text_of(E value) { return text_of(std::string(name_of(value))); }
template <class E>
std::string text_of(const Auto<E>& value) {
  return value ? text_of(*value) : "\"auto\"";
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return "[" + text + "]";
}

}  // namespace

std::string exposure_text(const model::ExposureChoice& exposure) {
  return std::string(name_of(exposure.form)) + (exposure == model::Exposure::approx ? fmt::format(":{}", exposure.tolerance) : "");
}

namespace {

SpecDraft read_spec(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
  if (text.size() > kLongestFile) throw UserError(fmt::format("{}: longer than the {} bytes that are allowed", name, kLongestFile));
  const std::string ascii = ascii_of(text, name);
  const toml::parse_result parsed = toml::parse(ascii);
  if (!parsed) {
    std::string reason(parsed.error().description());
    std::ranges::replace_if(
        reason, [](char c) { return c < ' ' || c > '~'; }, '?');
    throw UserError(fmt::format("{}: {}", place(name, parsed.error().source().begin.line), reason));
  }

  // The table is sorted by key; the user reads from top to bottom.
  struct Line {
    toml::source_index number;
    std::string_view key;
    const toml::node* value;
  };
  std::vector<Line> lines;
  for (const auto& [key, value] : parsed.table()) lines.push_back({key.source().begin.line, key.str(), &value});
  std::ranges::stable_sort(lines, {}, &Line::number);

  SpecDraft draft;
  const std::vector<std::string_view> known = key_names();
  for (const Line& line : lines) {
    const std::string where = place(name, line.number);
    if (std::ranges::find(known, line.key) == known.end()) {
      throw UserError(where + ": unknown key " + dbandit::quoted(line.key) + did_you_mean(line.key, known));
    }
    const auto& said = draft.said.emplace(line.key, fmt::format("{}: {}", where, line.key)).first->second;
    Given given = given_of(*line.value);
    if (line.key == "delay" || line.key == "assume-delay") {
      for (Token& token : given.tokens) token.text = beside(folder, token.text);
    }
    if (const auto reason = assign_given(draft.settings, line.key, given)) throw UserError(said + ": " + *reason);
  }
  return draft;
}

}  // namespace

SpecDraft read_spec_text(std::string_view text, const std::string& name) { return read_spec(text, name, {}); }

SpecDraft read_spec_file(const std::string& given) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  const Input input = read_input(path, kLongestFile);
  if (!input.wrong.empty())
    throw UserError(fmt::format("{}: {}; allowed is the path of a TOML file, or - for standard input", given, input.wrong));
  return read_spec(input.bytes, path, path == "/dev/stdin" ? std::filesystem::path() : std::filesystem::path(path).parent_path());
}

std::string spec_text(const Spec& spec) {
  std::string text = "# dbandit run SPEC.toml repeats this run.\n";
  for_each_key([&](const auto& key) { text += fmt::format("{} = {}\n", key.name, text_of((*spec).*key.field)); });
  return text;
}

std::string key_text(const Settings& settings, std::string_view key) {
  std::string text;
  for_each_key([&](const auto& known) {
    if (known.name == key) text = text_of(settings.*known.field);
  });
  return text;
}

std::string key_flag(const Settings& settings, std::string_view key) {
  // As TOML writes it, without quotes, brackets and the space after a comma.
  std::string value = key_text(settings, key);
  std::erase(value, '"');
  if (value.starts_with('[')) value = value.substr(1, value.size() - 2);
  for (std::size_t at = 0; (at = value.find(", ", at)) != std::string::npos;) value.erase(at + 1, 1);
  return value;
}

std::vector<Flag> spec_flags(const Spec& spec) {
  Settings plain;
  plain.delay = spec->delay;
  plain.assume_delay = spec->assume_delay;
  plain.horizon = spec->horizon;
  plain.engine = spec->engine;
  plain = filled_in(std::move(plain));
  plain.engine = filled_in({}).engine;
  plain.assume_delay.reset();
  std::vector<Flag> flags;
  for_each_key([&](const auto& key) {
    if (key.required || (*spec).*key.field != plain.*key.field) flags.push_back({key.name, key_flag(*spec, key.name)});
  });
  return flags;
}

}  // namespace dbandit::sim
