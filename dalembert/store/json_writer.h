// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259) piece by piece, without a document in memory. Numbers have the shortest form that reads back
// as the same double; NaN and infinities, which JSON lacks, become null.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// `json.begin_object().member("n", 3).key("q").begin_array().value(1.5).end_array().end_object();`
/// Calls must nest as the document does; this is only asserted. The stream has the whole text when the outermost value
/// is complete.
class JsonWriter {
 public:
  /// `indent` > 0: objects have one member per line, indented by `indent` spaces per level; arrays are on one line
  /// unless they hold objects.
  explicit JsonWriter(std::ostream& out, int indent = 0);

  /// Layout of an object or array when there is an indent.
  enum class Items { kAuto, kOnOneLine, kOnLines };
  JsonWriter& begin_object(Items items = Items::kAuto);
  JsonWriter& end_object();
  JsonWriter& begin_array(Items items = Items::kAuto);
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(double number);
  JsonWriter& value(bool truth);
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) { return integer(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::span<const double> numbers);
  JsonWriter& value(const std::vector<double>& numbers) { return value(std::span<const double>(numbers)); }
  JsonWriter& value(const std::vector<std::string>& texts);
  JsonWriter& null();

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

 private:
  JsonWriter& integer(std::int64_t number);
  void before_item();
  JsonWriter& after_item();
  void new_line(std::size_t depth);

  struct Level {
    bool object = false, empty = true, lines = false, settled = false;
  };
  std::ostream& out_;
  std::string text_;  // text that is buffered and not in the stream yet
  int indent_;
  bool after_key_ = false;
  std::vector<Level> levels_;
};

/// The text as a JSON string, in quotes.
std::string json_quote(std::string_view text);

}  // namespace dalembert
