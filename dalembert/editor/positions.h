// SPDX-License-Identifier: Apache-2.0
// Places as editors count them: lines from 0, and in a line code units of an encoding that the editor chooses (LSP 3.17, §
// Position).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dalembert/base/source.h"

namespace dalembert::editor {

enum class Encoding { kUtf8, kUtf16 };

struct Position {
  std::uint32_t line = 0, character = 0;
};

/// Bytes [begin, end) of a text.
struct Range {
  std::uint32_t begin = 0, end = 0;
  bool has(std::uint32_t offset) const { return begin <= offset && offset <= end; }
};

/// The byte at a position. A place behind a line is the line's end, one behind the text is the text's end, one within a character is its
/// beginning.
std::uint32_t offset_at(const SourceText& source, const Position& position, Encoding encoding);
/// The position of a byte; bytes behind the text count as its end.
Position position_at(const SourceText& source, std::uint32_t offset, Encoding encoding);

/// Positions of many bytes of one text: in ascending order they take time in proportion to the text, however long its lines are.
class PositionCounter {
 public:
  Position position(const SourceText& source, std::uint32_t offset, Encoding encoding);

 private:
  std::uint32_t line_start_ = 0, offset_ = 0;
  Position last_ = {};
  bool counted_ = false;
};

}  // namespace dalembert::editor
