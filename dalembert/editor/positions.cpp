// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/positions.h"

#include <algorithm>

#include "dalembert/base/text.h"

namespace dalembert::editor {
namespace {

// The length of the character at the start of `text` in bytes; 1 for a byte that is not UTF-8.
std::size_t bytes_of_character(std::string_view text) { return std::max<std::size_t>(utf8_length(text), 1); }

// What the character counts in the encoding: a character beyond U+FFFF, four bytes of UTF-8, is two code units of UTF-16.
std::uint32_t units(std::size_t bytes, Encoding encoding) {
  if (encoding == Encoding::kUtf8) return static_cast<std::uint32_t>(bytes);
  return bytes == 4 ? 2 : 1;
}

}  // namespace

std::uint32_t offset_at(const SourceText& source, const Position& position, Encoding encoding) {
  const auto size = static_cast<std::uint32_t>(source.text().size());
  if (position.line >= static_cast<std::uint32_t>(source.line_count())) return size;
  const int number = static_cast<int>(position.line) + 1;
  std::string_view rest = source.line(number);
  std::uint32_t offset = source.offset(number, 1), seen = 0;
  while (!rest.empty()) {
    const std::size_t bytes = bytes_of_character(rest);
    seen += units(bytes, encoding);
    if (seen > position.character) break;
    offset += static_cast<std::uint32_t>(bytes);
    rest.remove_prefix(bytes);
  }
  return offset;
}

Position position_at(const SourceText& source, std::uint32_t offset, Encoding encoding) {
  offset = std::min(offset, static_cast<std::uint32_t>(source.text().size()));
  const int number = source.position(offset).line;
  const std::uint32_t start = source.offset(number, 1);
  offset = std::max(offset, start);  // within a byte order mark
  std::string_view before = std::string_view(source.text()).substr(start, offset - start);
  Position position{static_cast<std::uint32_t>(number - 1), 0};
  while (!before.empty()) {
    const std::size_t bytes = bytes_of_character(before);
    position.character += units(bytes, encoding);
    before.remove_prefix(bytes);
  }
  return position;
}

}  // namespace dalembert::editor
