#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// Plain text, taken apart.
namespace dbandit {

/// The number that the whole text is; none when it is not one or does not fit. −0 reads as 0, so that equal values are written alike.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value + Number{0};
}

/// The same of a colour or an escape: hexadecimal digits.
inline std::optional<unsigned> parse_hex(std::string_view digits) {
  unsigned value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// What stands between the separators; a text without any is one part, an empty one too.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

/// "1 replica", "2 replicas".
template <class Number>
std::string counted(Number count, std::string_view noun) {
  return std::to_string(static_cast<long long>(count)) + ' ' + std::string(noun) + (count == Number{1} ? "" : "s");
}

/// Without white space at either end.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t from = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(from, text.find_last_not_of(kSpace) + 1 - from);
}

}  // namespace dbandit
