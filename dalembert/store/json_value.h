// SPDX-License-Identifier: Apache-2.0
// A JSON document in memory, for results that are put together from parts: `Json{{"model", name}, {"rows", Json::array()}}`.
// What is long and comes row by row is written by JsonWriter (json_writer.h) instead.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dalembert {

class JsonItem;
class JsonWriter;

class Json {
 public:
  Json() = default;  ///< null
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Json(T truth) : value_(truth) {}
  template <std::same_as<double> T>
  Json(T number) : value_(number) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T number) : value_(static_cast<std::int64_t>(number)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(const std::vector<std::string>& texts);
  /// An object, where every item is a pair whose first is a text; an array of the items otherwise.
  Json(std::initializer_list<JsonItem> items);

  static Json array() { return Json(Value(Array())); }
  static Json object() { return Json(Value(Object())); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  /// The member of an object; a new null where there is none. Of a null, which becomes an object.
  Json& operator[](std::string_view name);
  /// A member whose name the object does not have yet: in constant time.
  void append(std::string_view name, Json value);
  /// To an array; a null becomes one.
  void push_back(Json value);

  /// The document and a line end. Numbers are the shortest text that reads back the same; NaN and infinities are null.
  /// Objects and lists of lists are broken over lines, lists of scalars are not.
  std::string text() const;

 private:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object>;
  explicit Json(Value value) : value_(std::move(value)) {}

  bool has_items() const;
  bool is_flat() const;
  void write(bool outermost, JsonWriter& json) const;

  Value value_;
};

/// An item of a list in braces, which may be moved out of it.
class JsonItem {
 public:
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, JsonItem> && std::constructible_from<Json, T>) JsonItem(T&& value)
      : value_(std::forward<T>(value)) {}
  JsonItem(std::initializer_list<JsonItem> items) : value_(items) {}

 private:
  friend class Json;
  mutable Json value_;
};

}  // namespace dalembert
