// SPDX-License-Identifier: Apache-2.0
// Texts that a user wrote, and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// A file, or a string given on the command line, that diagnostics can point into.
class SourceText {
 public:
  SourceText(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

  struct Position {
    int line = 1;    ///< counted from 1
    int column = 1;  ///< counted from 1, in characters (UTF-8 code points)
  };
  Position position(std::uint32_t offset) const;
  /// Byte offset of a 1-based line and a 1-based column counted in code points; clamped to the text.
  std::uint32_t offset(int line, int column) const;
  /// Line `number`, counted from 1, without its line end; empty if there is no such line.
  std::string_view line(int number) const;
  int line_count() const { return static_cast<int>(line_starts_.size()); }

 private:
  std::string name_, text_;
  std::vector<std::uint32_t> line_starts_;
};

using SourcePtr = std::shared_ptr<const SourceText>;

SourcePtr make_source(std::string name, std::string text);

/// Bytes [begin, end) of a source; a null source means "no place".
struct Span {
  SourcePtr source;
  std::uint32_t begin = 0, end = 0;
  explicit operator bool() const { return source != nullptr; }
};

/// A string in which every byte remembers where it was written. After escapes are decoded and `{i}` is replaced, a diagnostic still points
/// at the characters that the user typed. offsets.size() == text.size() + 1; the last offset is the end of the text.
struct MappedText {
  std::string text;
  SourcePtr source;
  std::vector<std::uint32_t> offsets;

  /// Bytes [begin, end) of `source`, unchanged.
  static MappedText verbatim(SourcePtr source, std::uint32_t begin, std::uint32_t end);
  /// Makes `text` a source of its own, for strings that come from code or the command line.
  static MappedText of(std::string text, std::string source_name = "<expression>");

  /// Characters [begin, end) of the text.
  MappedText part(std::size_t begin, std::size_t end) const;
  /// The pieces between the signs, without the blanks around them; one piece if there is no sign.
  std::vector<MappedText> split(char sign) const;
  /// Without the blanks around it.
  MappedText trimmed() const;

  Span span(std::size_t begin, std::size_t end) const;
  Span span() const { return span(0, text.size()); }
};

}  // namespace dalembert
