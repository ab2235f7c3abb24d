// SPDX-License-Identifier: Apache-2.0
// Where in a TOML text a place is. A text is read up to the place without being held against the grammar, because a text that someone is
// typing seldom is TOML: a string ends with its line, a header begins a section whatever was open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::editor {

struct Cursor {
  enum class At {
    kComment,
    kHeader,  ///< in the name of a section
    kKey,     ///< where a key stands or may begin
    kValue,   ///< where a value stands or may begin, but not in a string
    kString,  ///< between the quotes of a string that is a value
  };
  At at = At::kKey;
  std::string section;            ///< of the last header; empty at the top of the file
  std::vector<std::string> path;  ///< keys from the section down to the value, or to the table whose key this is
  std::uint32_t begin = 0;        ///< where the header's name, the key, the value's word or the string's text begins
  bool in_table = false;          ///< within the braces of a table
};

Cursor cursor_at(std::string_view text, std::uint32_t offset);

/// Whether a TOML text is a model's, and not that of another program: a line begins with `coordinates =`, with `[[coordinates]]`, or with
/// `#:schema` and names model.schema.json.
bool is_model(std::string_view text);

/// The text with everything that an unclosed bracket spoils replaced by blanks: from the line of the bracket to the next header. What is
/// left keeps its place.
std::string without_unclosed(std::string text);

}  // namespace dalembert::editor
