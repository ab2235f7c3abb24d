// SPDX-License-Identifier: Apache-2.0
// A JSON document in memory, for results composed of parts: `Json{{"model", name}, {"rows", Json::array()}}`. Long
// documents that are produced row by row are written by JsonWriter (json_writer.h) instead.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

class JsonItem;
class JsonWriter;

class Json {
 public:
  Json() = default;  ///< the value null
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
  /// An object if every item is a pair that begins with a text; otherwise an array of the items.
  Json(std::initializer_list<JsonItem> items);

  static Json array() { return Json(Value(Array())); }
  static Json object() { return Json(Value(Object())); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  /// The member of an object; a new null if it does not exist. A null becomes an object first.
  Json& operator[](std::string_view name);
  /// Appends a member in constant time. The object must not have a member of this name yet.
  void append(std::string_view name, Json value);
  /// Appends to an array. A null becomes an array first.
  void push_back(Json value);

  /// The document with a line end. Numbers are the shortest text that reads back as the same double; NaN and infinities
  /// are null. Objects and nested lists have one item per line, lists of scalars are on one line.
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

/// An item of an initializer list that can be moved from.
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

/// {"code", "level", "message", "file", "line", "column", "notes", "help"}. file, line and column are null if the
/// diagnostic has no position.
Json to_json(const Diagnostic& diagnostic);
Json to_json(const Diagnostics& diagnostics);

/// {names[i]: values[i]}; the names must be distinct.
Json named_json(std::span<const std::string> names, std::span<const double> values);
/// {names[i]: values[i]} for the values that are not 0.
Json not_zero_json(std::span<const std::string> names, std::span<const double> values);
Json list_json(std::span<const double> values);
/// A sparse matrix as a list of rows.
Json matrix_json(const Pattern& pattern, std::span<const double> values);
/// A sparse matrix as a list of [row, column, value], indices from 0.
Json entries_json(const Pattern& pattern, std::span<const double> values);
/// The text, or null if it is empty.
Json text_or_null(const std::string& text);

}  // namespace dalembert
