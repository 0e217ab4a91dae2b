#include "ascii_toml.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "core/utf8.hpp"

namespace dbandit::sim {
namespace {

/// Where the reader of a TOML text is.
class Place {
 public:
  [[nodiscard]] bool in_comment() const { return in_comment_; }
  [[nodiscard]] bool in_string() const { return !quote_.empty(); }
  /// A string of single quotes has no escapes.
  [[nodiscard]] bool has_escapes() const { return quote_.starts_with('"'); }

  /// Goes on over ASCII; returns how many bytes belong together.
  std::size_t pass(std::string_view text) {
    const char c = text.front();
    if (c == '\n') {
      in_comment_ = false;
      if (quote_.size() == 1) quote_ = {};  // not closed: the parser says so
    } else if (in_comment_) {
      return 1;
    } else if (in_string()) {
      if (c == '\\' && has_escapes() && text.size() > 1 && static_cast<unsigned char>(text[1]) < 128) return 2;
      if (text.starts_with(quote_)) {
        const std::size_t length = quote_.size();
        quote_ = {};
        return length;
      }
    } else if (c == '#') {
      in_comment_ = true;
    } else if (c == '"' || c == '\'') {
      const bool is_long = text.size() > 2 && text[1] == c && text[2] == c;
      quote_ = text.substr(0, is_long ? 3 : 1);
      return quote_.size();
    }
    return 1;
  }

 private:
  bool in_comment_ = false;
  std::string_view quote_;  ///< of the string it is in
};

}  // namespace

AsciiToml ascii_toml(std::string_view text) {
  AsciiToml ascii;
  ascii.line = 1;
  Place place;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 128) {
      const std::size_t count = place.pass(rest);
      for (const char c : rest.substr(0, count)) ascii.line += c == '\n';
      ascii.text += rest.substr(0, count);
      at += count;
      continue;
    }
    const Utf8Character character = utf8_character(rest);
    if (character.bytes == 0) {
      ascii.wrong = fmt::format("byte 0x{:02x} is not UTF-8", byte);
    } else if (!place.in_comment() && !place.in_string()) {
      ascii.wrong = fmt::format("byte 0x{:02x} is not ASCII; allowed is UTF-8 in strings and comments only", byte);
    } else if (place.in_string() && !place.has_escapes()) {
      ascii.wrong = fmt::format("byte 0x{:02x} is not ASCII; allowed is UTF-8 in a string of double quotes", byte);
    }
    if (!ascii.wrong.empty()) return ascii;
    ascii.text += place.in_comment() ? "?" : fmt::format("\\U{:08X}", character.code);
    at += character.bytes;
  }
  return ascii;
}

}  // namespace dbandit::sim
