#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dbandit::report {

/// A JSON document as a value; keys stay in the order in which they were added. json_value.cpp alone knows the library that reads and
/// writes the text.
class Json {
 public:
  /// Text that is no JSON, or a value that is not where or what it should be.
  struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  struct TooDeep : Error {
    using Error::Error;
  };
  struct Member;

  Json();
  Json(bool value);
  Json(double value);
  Json(std::signed_integral auto value);
  Json(std::unsigned_integral auto value);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  template <class T>
  Json(const std::vector<T>& values);
  /// An object if every element is a pair whose first is a text; else an array.
  Json(std::initializer_list<Json> elements);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  static Json array();
  static Json object();

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<std::vector<Member>>(value_); }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] std::size_t size() const;
  /// The value if it is of that type; throw Error when not, or when it is not there.
  [[nodiscard]] double number() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] std::span<const Json> elements() const;
  [[nodiscard]] std::span<const Member> members() const;
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] const Json& at(std::size_t index) const;

  void push_back(Json element);
  /// The member of that key, made if it is not there. A null becomes an object.
  Json& operator[](std::string_view key);
  void erase(std::string_view key);

  /// One line, or `indent` spaces a level. Throws for text that is not UTF-8.
  [[nodiscard]] std::string dump(int indent = -1) const;
  /// One line of ASCII; bytes that are no UTF-8 are replaced.
  [[nodiscard]] std::string ascii() const;
  /// Throws Error, TooDeep when nested deeper than anything we write: a parser would follow any number of brackets.
  static Json parse(std::string_view text);

 private:
  [[nodiscard]] const Json* find(std::string_view key) const;
  friend struct JsonLibrary;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Json>, std::vector<Member>> value_;
};

struct Json::Member {
  std::string key;
  Json value;
};

// Down here Member is complete: what makes a variant of vectors may have to destroy them.
inline Json::Json() = default;
inline Json::Json(bool value) : value_(value) {}
inline Json::Json(double value) : value_(value) {}
Json::Json(std::signed_integral auto value) : value_(std::int64_t{value}) {}
Json::Json(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
inline Json::Json(const char* text) : value_(std::string(text)) {}
inline Json::Json(std::string_view text) : value_(std::string(text)) {}
inline Json::Json(std::string text) : value_(std::move(text)) {}
template <class T>
Json::Json(const std::vector<T>& values) : value_(std::vector<Json>(values.begin(), values.end())) {}
inline Json Json::array() { return std::vector<Json>{}; }

}  // namespace dbandit::report
