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

// The number of a byte's line, from 1. SourceText::position() counts columns too, which takes long in long lines.
int line_of(const SourceText& source, std::uint32_t offset) {
  int low = 1, high = source.line_count();
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (source.offset(middle, 1) <= offset)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
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

Position PositionCounter::position(const SourceText& source, std::uint32_t offset, Encoding encoding) {
  offset = std::min(offset, static_cast<std::uint32_t>(source.text().size()));
  const int number = line_of(source, offset);
  const std::uint32_t start = source.offset(number, 1);
  offset = std::max(offset, start);  // within a byte order mark
  if (!counted_ || line_start_ != start || offset < offset_) {
    last_ = {static_cast<std::uint32_t>(number - 1), 0};
    offset_ = line_start_ = start;
    counted_ = true;
  }
  while (offset_ < offset) {
    const std::size_t bytes = bytes_of_character(std::string_view(source.text()).substr(offset_, offset - offset_));
    last_.character += units(bytes, encoding);
    offset_ += static_cast<std::uint32_t>(bytes);
  }
  return last_;
}

Position position_at(const SourceText& source, std::uint32_t offset, Encoding encoding) {
  return PositionCounter().position(source, offset, encoding);
}

}  // namespace dalembert::editor
