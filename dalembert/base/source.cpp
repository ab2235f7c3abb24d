// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/source.h"

#include <algorithm>

namespace dalembert {
namespace {
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
}  // namespace

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

SourceText::Position SourceText::position(std::uint32_t offset) const {
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size()));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::uint32_t start = *(next - 1);
  Position where{static_cast<int>(next - line_starts_.begin()), 1};
  for (std::uint32_t i = start; i < offset; ++i)
    if (!is_continuation(text_[i])) ++where.column;
  // A byte order mark takes no column.
  if (start == 0 && offset >= 3 && text_.compare(0, 3, "\xEF\xBB\xBF") == 0) --where.column;
  return where;
}

std::uint32_t SourceText::offset(int line, int column) const {
  if (line < 1) return 0;
  if (line > line_count()) return static_cast<std::uint32_t>(text_.size());
  std::uint32_t at = line_starts_[static_cast<std::size_t>(line - 1)];
  if (at == 0 && text_.compare(0, 3, "\xEF\xBB\xBF") == 0) at = 3;
  for (int c = 1; c < column && at < text_.size() && text_[at] != '\n'; ++c) {
    ++at;
    while (at < text_.size() && is_continuation(text_[at])) ++at;
  }
  return at;
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || number > line_count()) return {};
  std::size_t begin = line_starts_[static_cast<std::size_t>(number - 1)];
  std::size_t end = number < line_count() ? line_starts_[static_cast<std::size_t>(number)] - 1 : text_.size();
  if (begin == 0 && text_.compare(0, 3, "\xEF\xBB\xBF") == 0) begin = 3;
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

SourcePtr make_source(std::string name, std::string text) {
  return std::make_shared<const SourceText>(std::move(name), std::move(text));
}

MappedText MappedText::verbatim(SourcePtr source, std::uint32_t begin, std::uint32_t end) {
  MappedText mapped{source->text().substr(begin, end - begin), source, {}};
  mapped.offsets.reserve(mapped.text.size() + 1);
  for (std::uint32_t i = begin; i <= end; ++i) mapped.offsets.push_back(i);
  return mapped;
}

MappedText MappedText::of(std::string text, std::string source_name) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return verbatim(make_source(std::move(source_name), std::move(text)), 0, size);
}

MappedText MappedText::part(std::size_t begin, std::size_t end) const {
  const auto at = [&](std::size_t i) { return offsets.begin() + static_cast<std::ptrdiff_t>(i); };
  return {text.substr(begin, end - begin), source, {at(begin), at(end) + 1}};
}

std::vector<MappedText> MappedText::split(char sign) const {
  std::vector<MappedText> pieces;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(sign, from), text.size());
    pieces.push_back(part(from, end).trimmed());
    from = end + 1;
  }
  return pieces;
}

MappedText MappedText::trimmed() const {
  std::size_t begin = 0, end = text.size();
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  return part(begin, end);
}

Span MappedText::span(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text.size());
  end = std::clamp(end, begin, text.size());
  std::uint32_t last = offsets[begin];
  for (std::size_t i = begin; i < end; ++i) last = std::max(last, offsets[i] + 1);
  return {source, offsets[begin], end == begin ? offsets[begin] : std::max(last, offsets[begin])};
}

}  // namespace dalembert
