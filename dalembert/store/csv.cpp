// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/run_files.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/number_text.h"

namespace dalembert {
namespace {

std::optional<double> number(std::string_view text) {
  if (text.empty() || text == "nan" || text == "NaN" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return parse_double(text);
}

}  // namespace

void append_csv_header(std::span<const Trajectory::Column> columns, std::string& text) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) text += ',';
    text += csv_quote(columns[c].name);
  }
  text += '\n';
}

void append_csv_rows(std::span<const Trajectory::Column> columns, std::size_t begin, std::size_t end,
                     std::string& text) {
  constexpr std::size_t kWidth = kLongestNumber + 8 + 1;  // room that write_number() needs, and a comma
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
  constexpr std::size_t kRows = 1000;  // rows per write
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
  CsvReader reader(source);
  std::vector<CsvField> fields;
  if (!reader.next(fields))
    return error("E0502", fmt::format("`{}` is empty: expected a header row of series names", source->name()));
  Table table;
  for (const CsvField& field : fields) {
    if (field.text.empty())
      return error("E0502", "a series without a name", reader.place(field), "this column has no name");
    table.names.push_back(field.text);
  }
  if (number(fields.front().text))
    return error("E0502", "the first line must name the series", reader.place(fields.front()), "a number, not a name");
  table.columns.resize(table.names.size());
  while (reader.next(fields)) {
    if (fields.size() == 1 && fields.front().text.empty()) continue;  // skip a blank line
    if (fields.size() != table.names.size())
      return error("E0502", fmt::format("a row of {} values under {} names", fields.size(), table.names.size()),
                   reader.line(), "this row");
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const auto value = number(fields[c].text);
      if (!value)
        return error("E0502", fmt::format("`{}` is not a number", fields[c].text), reader.place(fields[c]),
                     fmt::format("in column `{}`", table.names[c]));
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
