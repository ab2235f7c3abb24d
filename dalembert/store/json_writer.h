// SPDX-License-Identifier: Apache-2.0
// JSON, written as it comes: no document in memory. RFC 8259; numbers in their shortest form that reads back the same;
// what JSON cannot say (NaN, infinities) becomes null.
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
/// Calls must nest as the document does; that is asserted, not checked. The stream has it all when it is complete.
class JsonWriter {
 public:
  /// `indent` > 0: objects over several lines, that many spaces a level; arrays stay on one line unless they hold
  /// objects.
  explicit JsonWriter(std::ostream& out, int indent = 0);

  /// How the members of an object or array are written, where there is an indent.
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
  std::string text_;  // not yet in the stream
  int indent_;
  bool after_key_ = false;
  std::vector<Level> levels_;
};

/// The text as a JSON string, with its quotes.
std::string json_quote(std::string_view text);

}  // namespace dalembert
