// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/diagnostic.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

struct Style {
  std::string_view bold, red, yellow, blue, cyan, reset;
};
constexpr Style kPlain{};
constexpr Style kColor{"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[0m"};

// Display columns of a piece of text: one per code point; tabs are shown as single spaces.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The source line as it is safe to print: a control character could move the cursor or shift the marks below the line, so each becomes '.'.
std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    if (utf8_length(text) == 0 || is_control(code_point(text)))
      result += text[0] == '\t' ? ' ' : '.';
    else
      result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

struct Mark {
  std::size_t begin, end;  // byte offsets within the line
  char sign;
  std::string text;
};

// Appends one source line and the marks below it; a line that is too long is cut around the first mark.
void show_line(std::string& out, const SourceText& source, int number, std::vector<Mark> marks, int gutter,
               const RenderOptions& options, const Style& style) {
  std::string_view line = source.line(number);
  const auto limit = static_cast<std::size_t>(options.max_line_width);
  std::size_t cut = 0;
  std::string before, after;
  if (line.size() > limit) {
    const std::size_t focus = std::min(marks.front().begin, line.size());
    cut = focus > limit / 2 ? focus - limit / 2 : 0;
    while (cut < line.size() && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) ++cut;
    std::size_t stop = std::min(line.size(), cut + limit);
    while (stop < line.size() && (static_cast<unsigned char>(line[stop]) & 0xC0) == 0x80) ++stop;
    before = cut > 0 ? "…" : "";
    after = stop < line.size() ? "…" : "";
    line = line.substr(cut, stop - cut);
  }
  out += fmt::format("{}{:>{}} |{} {}{}{}\n", style.blue, number, gutter, style.reset, before, printable(line), after);
  for (const Mark& mark : marks) {
    const std::size_t begin = std::clamp(mark.begin, cut, cut + line.size()) - cut;
    const std::size_t end = std::clamp(mark.end, begin + cut, cut + line.size()) - cut;
    const std::size_t indent = width(before) + width(line.substr(0, begin));
    const std::size_t length = std::max<std::size_t>(1, width(line.substr(begin, end - begin)));
    out += fmt::format("{}{:>{}} |{} {:{}}{}{}{}{}{}\n", style.blue, "", gutter, style.reset, "", indent,
                       mark.sign == '^' ? style.red : style.blue, std::string(length, mark.sign),
                       mark.text.empty() ? "" : " ", shown(mark.text), style.reset);
  }
}

}  // namespace

Diagnostic error(std::string code, std::string message, Span span, std::string label) {
  return {Level::kError, std::move(code), std::move(message), {std::move(span), std::move(label)}, {}, {}, {}};
}

Diagnostic warning(std::string code, std::string message, Span span, std::string label) {
  return {Level::kWarning, std::move(code), std::move(message), {std::move(span), std::move(label)}, {}, {}, {}};
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.level == Level::kError; });
}

std::string render(const Diagnostic& diagnostic, const RenderOptions& options) {
  const Style& style = options.color ? kColor : kPlain;
  const bool is_error = diagnostic.level == Level::kError;
  std::string out =
      fmt::format("{}{}[{}]{}{}: {}{}\n", is_error ? style.red : style.yellow, is_error ? "error" : "warning",
                  diagnostic.code, style.reset, style.bold, shown(one_line(diagnostic.message)), style.reset);

  // The marks, grouped by source and line. The heading names the place of the primary label.
  std::map<std::pair<const SourceText*, int>, std::vector<Mark>> lines;
  int last_line = 1;
  const auto add = [&](const Label& label, char sign) {
    if (!label.span) return;
    const SourceText& source = *label.span.source;
    const int number = source.position(label.span.begin).line;
    const std::uint32_t start = source.offset(number, 1);
    lines[{&source, number}].push_back(
        {label.span.begin - start, std::max(label.span.end, label.span.begin) - start, sign, label.text});
    last_line = std::max(last_line, number);
  };
  add(diagnostic.primary, '^');
  for (const Label& label : diagnostic.secondary) add(label, '-');

  const int gutter = static_cast<int>(std::to_string(last_line).size());
  const std::string bar = fmt::format("{}{:>{}} |{}\n", style.blue, "", gutter, style.reset);
  if (diagnostic.primary.span) {
    const SourceText& source = *diagnostic.primary.span.source;
    const auto where = source.position(diagnostic.primary.span.begin);
    out += fmt::format("{}{:>{}}-->{} {}:{}:{}\n", style.blue, "", gutter, style.reset, shown(source.name()),
                       where.line, where.column);
  }
  if (!lines.empty()) {
    out += bar;
    const SourceText* current = diagnostic.primary.span ? diagnostic.primary.span.source.get() : nullptr;
    // First the lines of the primary source, then lines of other sources, each under the name of its source.
    for (const int pass : {0, 1}) {
      for (const auto& [key, marks] : lines) {
        if ((key.first == current) != (pass == 0)) continue;
        if (pass == 1)
          out += fmt::format("{}{:>{}}:::{} {}:{}\n", style.blue, "", gutter, style.reset, shown(key.first->name()),
                             key.second);
        show_line(out, *key.first, key.second, marks, gutter, options, style);
      }
    }
    out += bar;
  }
  for (const std::string& note : diagnostic.notes)
    out += fmt::format("{}{:>{}} = note:{} {}\n", style.blue, "", gutter, style.reset, shown(note, "\n"));
  for (const std::string& help : diagnostic.help)
    out += fmt::format("{}help:{} {}\n", style.cyan, style.reset, shown(help, "\n"));
  return out;
}

std::string render(const Diagnostics& diagnostics, const RenderOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += "\n";
    out += render(diagnostic, options);
  }
  return out;
}

}  // namespace dalembert
