// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/csv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/number_text.h"

namespace dalembert {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

struct Field {
  std::string text;
  std::uint32_t begin = 0, end = 0;  // bytes of the source, quotes included
};

// The fields of the line that starts at `at`, which moves past the line's end. Quoted fields may hold line ends.
std::vector<Field> read_line(std::string_view text, std::uint32_t& at) {
  std::vector<Field> fields;
  while (true) {
    Field field;
    field.begin = at;
    if (at < text.size() && text[at] == '"') {
      ++at;
      while (at < text.size()) {
        if (text[at] == '"') {
          if (at + 1 < text.size() && text[at + 1] == '"')
            ++at;
          else
            break;
        }
        field.text += text[at++];
      }
      if (at < text.size()) ++at;
    }
    while (at < text.size() && text[at] != ',' && text[at] != '\n' && text[at] != '\r') field.text += text[at++];
    field.end = at;
    fields.push_back(std::move(field));
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') ++at;
  return fields;
}

std::optional<double> number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.empty() || text == "nan" || text == "NaN" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return parse_double(text);
}

}  // namespace

void append_csv_header(std::span<const Trajectory::Column> columns, std::string& text) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) text += ',';
    text += quoted(columns[c].name);
  }
  text += '\n';
}

void append_csv_rows(std::span<const Trajectory::Column> columns, std::size_t begin, std::size_t end,
                     std::string& text) {
  constexpr std::size_t kWidth = kLongestNumber + 8 + 1;  // and a comma
  std::size_t size = text.size();
  for (std::size_t row = begin; row < end; ++row) {
    if (text.size() < size + columns.size() * kWidth + 1)
      text.resize(std::max(2 * text.size(), size + columns.size() * kWidth + 1));
    char* at = text.data() + size;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) *at++ = ',';
      const double value = columns[c].values[row];
      if (std::isfinite(value)) {
        at = write_number(at, value);
      } else {
        const std::string_view word = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        at = std::ranges::copy(word, at).out;
      }
    }
    *at++ = '\n';
    size = static_cast<std::size_t>(at - text.data());
  }
  text.resize(size);
}

void write_csv(const Trajectory& trajectory, std::ostream& out) {
  constexpr std::size_t kRows = 1000;  // at once
  const std::vector<Trajectory::Column> columns = trajectory.columns();
  std::string text;
  append_csv_header(columns, text);
  for (std::size_t row = 0; row < trajectory.size() && out; row += kRows) {
    append_csv_rows(columns, row, std::min(row + kRows, trajectory.size()), text);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

Diagnostics write_csv(const Trajectory& trajectory, const std::string& path) {
  return write_file(path, [&](std::ostream& out) { write_csv(trajectory, out); });
}

Result<Table> parse_csv(const SourcePtr& source) {
  const std::string_view text = source->text();
  std::uint32_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark is not part of the first name
  if (at >= text.size())
    return error("E0502", fmt::format("`{}` is empty: expected a header row of series names", source->name()));
  Table table;
  const std::vector<Field> header = read_line(text, at);
  for (const Field& field : header) {
    if (field.text.empty())
      return error("E0502", "a series without a name", {source, field.begin, field.end}, "this column has no name");
    table.names.push_back(field.text);
  }
  if (number(header.front().text))
    return error("E0502", "the first line must name the series", {source, header.front().begin, header.front().end},
                 "a number, not a name");
  table.columns.resize(table.names.size());
  while (at < text.size()) {
    const std::uint32_t line_begin = at;
    const std::vector<Field> fields = read_line(text, at);
    if (fields.size() == 1 && fields.front().text.empty()) continue;  // a blank line
    if (fields.size() != table.names.size())
      return error("E0502", fmt::format("a row of {} values under {} names", fields.size(), table.names.size()),
                   {source, line_begin, fields.back().end}, "this row");
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const auto value = number(fields[c].text);
      if (!value)
        return error("E0502", fmt::format("`{}` is not a number", fields[c].text),
                     {source, fields[c].begin, fields[c].end}, fmt::format("in column `{}`", table.names[c]));
      table.columns[c].push_back(*value);
    }
  }
  return table;
}

Result<Table> read_csv(const std::string& path) {
  const Result<SourcePtr> source = read_file(path);
  if (!source) return source.diagnostics();
  return parse_csv(*source);
}

}  // namespace dalembert
