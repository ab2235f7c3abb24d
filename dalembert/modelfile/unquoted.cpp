// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/unquoted.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert::modelfile {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The innermost value of the line that contains position `at`, and its key if there is one.
struct Value {
  std::string_view key, text;
};

Value value_around(std::string_view line, std::size_t at) {
  std::size_t key_begin = 0, begin = 0;
  int depth = 0;
  bool keyed = false;
  for (std::size_t i = 0; i < at; ++i) {
    if (line[i] == '"' || line[i] == '\'') {
      i = std::min(line.find(line[i], i + 1), at);
    } else if (line[i] == '=') {
      begin = i + 1;
      keyed = true;
    } else if (line[i] == '[' || line[i] == '{' || (line[i] == ',' && depth > 0)) {
      depth += line[i] == ',' ? 0 : 1;
      key_begin = begin = i + 1;
      keyed = false;
    } else if (line[i] == ']' || line[i] == '}') {
      --depth;
    }
  }
  const std::size_t end = std::min(line.find_first_of(depth > 0 ? ",]}#" : "#", at), line.size());
  Value value{{}, trimmed(line.substr(begin, end - begin))};
  if (keyed) value.key = trimmed(line.substr(key_begin, begin - 1 - key_begin));
  return value;
}

// `9,81` with a decimal comma becomes `9.81`.
std::string with_decimal_point(std::string_view value) {
  const auto is_digit = [&](std::size_t i) {
    return i < value.size() && std::isdigit(static_cast<unsigned char>(value[i])) != 0;
  };
  std::string text(value);
  const std::size_t comma = value.find(',');
  if (comma != std::string_view::npos && comma > 0 && is_digit(comma - 1) && is_digit(comma + 1)) text[comma] = '.';
  return text;
}

// Typographic quotes become those of TOML: “2 kg” is "2 kg".
std::string with_straight_quotes(std::string_view value) {
  std::string text;
  for (std::size_t i = 0; i < value.size();) {
    const std::string_view character = value.substr(i, std::max<std::size_t>(utf8_length(value.substr(i)), 1));
    if (is_curly_quote(character))
      text += '"';
    else
      text += character;
    i += character.size();
  }
  return text;
}

// `x, y` of `coordinates = x, y` as a list of names; nothing if it is none. `alone`: one name is a list as well.
std::string as_list(std::string_view value, bool alone) {
  std::string list;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string_view name = trimmed(value.substr(begin, end - begin));
    if (!is_identifier(name)) return {};
    list += fmt::format("{}\"{}\"", list.empty() ? "[" : ", ", name);
    begin = end + 1;
  }
  return alone || value.find(',') != std::string_view::npos ? list + "]" : std::string();
}

}  // namespace

bool is_curly_quote(std::string_view character) {
  constexpr std::string_view kCurlyQuotes[] = {"“", "”", "„", "‟", "«", "»", "‘", "’", "‚", "‛"};
  return std::ranges::find(kCurlyQuotes, character) != std::end(kCurlyQuotes);
}

std::string help_for_unquoted(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
  if (trimmed(line).starts_with('[')) return {};  // the header of a section has no value
  // A key with an index, which `for` repeats.
  if (const std::string_view key = trimmed(line.substr(0, std::min(line.find('='), line.size())));
      is_identifier(key.substr(0, key.find('{'))) && key.find_first_of("{}") != std::string_view::npos &&
      key.find_first_of("\"'") == std::string_view::npos && line.find('=') != std::string_view::npos)
    return fmt::format("put the key in quotes: \"{}\" = …", key);
  const Value value = value_around(line, at - begin);
  // A line without a key says nothing that could be put in quotes.
  if (value.key.empty() && line.find_first_of("=[{") == std::string_view::npos) return {};
  constexpr std::size_t kLongest = 80;
  if (value.text.empty() || value.text.size() > kLongest ||
      value.text.find_first_of("\"'[]{}=") != std::string_view::npos)
    return {};
  std::string lower(value.text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string straight = with_straight_quotes(value.text);
  if (straight != value.text && straight.starts_with('"') && straight.ends_with('"') && straight.size() > 1 &&
      std::ranges::count(straight, '"') == 2)
    return value.key.empty() ? fmt::format("write {}, with straight quotes", straight)
                             : fmt::format("write {} = {}, with straight quotes", value.key, straight);
  const std::string number = with_decimal_point(value.text);
  const std::string list = as_list(value.text, value.key == "coordinates");
  std::string right = !list.empty()                         ? list
                      : lower == "true" || lower == "false" ? lower
                      : parse_double(number)                ? number
                                                            : "\"" + number + "\"";
  return value.key.empty() ? fmt::format("write {}", right) : fmt::format("write {} = {}", value.key, right);
}

}  // namespace dalembert::modelfile
