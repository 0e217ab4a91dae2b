#include "report/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dbandit::report {

using Library = nlohmann::ordered_json;
using Array = std::vector<Json>;
using Object = std::vector<Json::Member>;

/// Between our value and the library's.
struct JsonLibrary {
  static Library from(const Json& json) {
    return std::visit(
        [](const auto& value) -> Library {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            return nullptr;
          } else if constexpr (std::is_same_v<T, Array>) {
            Library array = Library::array();
            for (const Json& element : value) array.push_back(from(element));
            return array;
          } else if constexpr (std::is_same_v<T, Object>) {
            Library object = Library::object();
            for (const Json::Member& member : value) object[member.key] = from(member.value);
            return object;
          } else {
            return value;
          }
        },
        json.value_);
  }

  static Json to(const Library& value) {
    Json json;
    switch (value.type()) {
      case Library::value_t::boolean:
        return value.get<bool>();
      case Library::value_t::number_integer:
        return value.get<std::int64_t>();
      case Library::value_t::number_unsigned:
        return value.get<std::uint64_t>();
      case Library::value_t::number_float:
        return value.get<double>();
      case Library::value_t::string:
        return value.get<std::string>();
      case Library::value_t::array:
        json = Json::array();
        for (const Library& element : value) json.push_back(to(element));
        return json;
      case Library::value_t::object:
        json = Json::object();
        for (const auto& [key, member] : value.items()) json[key] = to(member);
        return json;
      case Library::value_t::null:
      case Library::value_t::binary:
      case Library::value_t::discarded:
        break;
    }
    return json;
  }
};

Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> elements) {
  const auto is_pair = [](const Json& element) {
    const auto* const pair = std::get_if<Array>(&element.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>(pair->front().value_);
  };
  if (!std::ranges::all_of(elements, is_pair)) {
    value_ = Array(elements);
    return;
  }
  Object members;
  for (const Json& pair : elements) members.push_back({pair.at(0).text(), pair.at(1)});
  value_ = std::move(members);
}

Json Json::object() {
  Json json;
  json.value_ = Object{};
  return json;
}

bool Json::is_number() const {
  return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_);
}

std::size_t Json::size() const {
  if (is_object()) return members().size();
  return elements().size();
}

double Json::number() const {
  if (const auto* const real = std::get_if<double>(&value_)) return *real;
  if (const auto* const integer = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*integer);
  if (const auto* const count = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*count);
  throw Error("not a number");
}

const std::string& Json::text() const {
  if (const auto* const text = std::get_if<std::string>(&value_)) return *text;
  throw Error("not a text");
}

std::span<const Json> Json::elements() const {
  if (const auto* const array = std::get_if<Array>(&value_)) return *array;
  throw Error("not an array");
}

std::span<const Json::Member> Json::members() const {
  if (const auto* const object = std::get_if<Object>(&value_)) return *object;
  throw Error("not an object");
}

const Json* Json::find(std::string_view key) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Member::key);
  return found == object->end() ? nullptr : &found->value;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* const found = find(key)) return *found;
  throw Error("no such key");
}

const Json& Json::at(std::size_t index) const {
  if (index < elements().size()) return elements()[index];
  throw Error("no such element");
}

void Json::push_back(Json element) { std::get<Array>(value_).push_back(std::move(element)); }

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object{};
  if (const Json* const found = find(key)) return const_cast<Json&>(*found);
  return std::get<Object>(value_).emplace_back(Member{std::string(key), {}}).value;
}

void Json::erase(std::string_view key) {
  std::erase_if(std::get<Object>(value_), [&](const Member& member) { return member.key == key; });
}

std::string Json::dump(int indent) const { return JsonLibrary::from(*this).dump(indent); }

std::string Json::ascii() const { return JsonLibrary::from(*this).dump(-1, ' ', true, Library::error_handler_t::replace); }

Json Json::parse(std::string_view text) {
  constexpr int deepest = 8;
  try {
    return JsonLibrary::to(Library::parse(text, [](int depth, Library::parse_event_t, const Library&) {
      if (depth > deepest) throw TooDeep("nested too deep");
      return true;
    }));
  } catch (const Library::exception&) {
    throw Error("not JSON, or cut short");
  }
}

}  // namespace dbandit::report
