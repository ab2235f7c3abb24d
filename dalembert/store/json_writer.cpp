// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/json_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/store/number_text.h"

namespace dalembert {
std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        // An invalid UTF-8 byte would make the document unreadable: it is replaced by U+FFFD.
        const std::string_view rest = text.substr(i);
        const std::size_t length = utf8_length(rest);
        if (length == 0)
          quoted += "\xEF\xBF\xBD";
        else if (const char32_t point = code_point(rest); is_control(point))
          quoted += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
        else
          quoted += rest.substr(0, length);
        i += std::max<std::size_t>(length, 1) - 1;
    }
    ++i;
  }
  quoted += '"';
  return quoted;
}

JsonWriter::JsonWriter(std::ostream& out, int indent) : out_(out), indent_(indent) {}

// Writes the buffer to the stream when it is large, and when the document is complete.
JsonWriter& JsonWriter::after_item() {
  constexpr std::size_t kMuch = 1 << 16;
  if (levels_.empty() || text_.size() > kMuch) {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  return *this;
}

void JsonWriter::new_line(std::size_t depth) {
  text_ += '\n';
  text_.append(depth * static_cast<std::size_t>(indent_), ' ');
}

// Writes the comma and line break before an item of an array or a key of an object.
void JsonWriter::before_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += ',';
  if (indent_ > 0) {
    if (level.lines)
      new_line(levels_.size());
    else if (!level.empty)
      text_ += ' ';
  }
  level.empty = false;
}

JsonWriter& JsonWriter::begin_object(Items items) {
  // An array of objects has one object per line.
  if (!levels_.empty() && !levels_.back().settled && !after_key_) levels_.back().lines = true;
  before_item();
  text_ += '{';
  levels_.push_back({.object = true, .lines = items != Items::kOnOneLine, .settled = true});
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  assert(!levels_.empty() && levels_.back().object && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (indent_ > 0 && level.lines && !level.empty) new_line(levels_.size());
  text_ += '}';
  if (levels_.empty() && indent_ > 0) text_ += '\n';
  return after_item();
}

JsonWriter& JsonWriter::begin_array(Items items) {
  before_item();
  text_ += '[';
  levels_.push_back({.lines = items == Items::kOnLines, .settled = items != Items::kAuto});
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  assert(!levels_.empty() && !levels_.back().object);
  const Level level = levels_.back();
  levels_.pop_back();
  if (indent_ > 0 && level.lines && !level.empty) new_line(levels_.size());
  text_ += ']';
  return after_item();
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back().object && !after_key_);
  before_item();
  text_ += json_quote(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_item();
  std::array<char, 40> buffer;
  const char* end = write_number(buffer.data(), number);
  text_.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  return after_item();
}

JsonWriter& JsonWriter::value(bool truth) {
  before_item();
  text_ += truth ? "true" : "false";
  return after_item();
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  before_item();
  text_ += std::to_string(number);
  return after_item();
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_item();
  text_ += json_quote(text);
  return after_item();
}

JsonWriter& JsonWriter::value(std::span<const double> numbers) {
  begin_array();
  for (double number : numbers) value(number);
  return end_array();
}

JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(std::string_view(text));
  return end_array();
}

JsonWriter& JsonWriter::null() {
  before_item();
  text_ += "null";
  return after_item();
}

}  // namespace dalembert
