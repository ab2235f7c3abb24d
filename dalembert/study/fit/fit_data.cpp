// SPDX-License-Identifier: Apache-2.0
// Reads measurements from CSV files.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/fit.h"

namespace dalembert {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestCell = 60;       // characters of a cell that a message shows
constexpr std::size_t kMostColumnsNamed = 12;  // columns that a message names

Diagnostic bad_data(std::string message, const Span& place, std::string help, std::string label = {}) {
  Diagnostic problem = error("E0431", std::move(message), place, std::move(label));
  if (!help.empty()) problem.help.push_back(std::move(help));
  return problem;
}

// As E0431, whatever the unit is not.
Result<CsvName> read_header_cell(const CsvField& field, const Span& place) {
  Result<CsvName> read = read_csv_name(field, place);
  if (read) return read;
  Diagnostic problem = read.diagnostics().front();
  problem.code = "E0431";
  return problem;
}

// The columns that the request names, each once.
std::vector<std::string> wanted_columns(const FitRequest& request) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const FitRequest::Named& one : request.measure) add(one.name);
  for (const FitRequest::Named& one : request.sigma)
    if (!parse_quantity(one.text)) add(one.text.trimmed().text);
  return names;
}

// A number; NaN where there is no sample; nothing for any other text.
std::optional<double> cell_value(const std::string& text) {
  if (text.empty()) return kMissing;
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "nan" || lower == "na") return kMissing;
  const std::optional<double> value = parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

class DataReader {
 public:
  DataReader(const SourcePtr& source, const std::string& path) : source_(source), reader_(source), path_(path) {
    data_.name = path;
    data_.source = source;
  }

  Result<FitData> read(const std::vector<std::string>& wanted) {
    Diagnostics problems = read_header(wanted);
    std::vector<CsvField> fields;
    while (problems.empty() && reader_.next(fields))
      if (fields.size() > 1 || !fields.front().text.empty()) problems = read_row(fields);
    if (problems.empty() && data_.time.empty())
      problems = {
          bad_data(fmt::format("`{}` has no samples", path_), {}, "a row for each time is wanted below the names")};
    if (!problems.empty()) return problems;
    return std::move(data_);
  }

 private:
  Diagnostics read_header(const std::vector<std::string>& wanted) {
    std::vector<CsvField> fields;
    if (!reader_.next(fields) || (fields.size() == 1 && fields.front().text.empty()))
      return {bad_data(fmt::format("`{}` is empty", path_), {},
                       "its first line names the columns, `time,theta [deg]`; below it are numbers")};
    count_ = fields.size();
    std::vector<CsvName> header;
    for (const CsvField& field : fields) {
      const Result<CsvName> cell = read_header_cell(field, reader_.place(field));
      if (!cell) return cell.diagnostics();
      header.push_back(*cell);
    }
    const auto place = std::ranges::find(header, "time", &CsvName::name);
    const CsvName& time = place == header.end() ? header.front() : *place;
    columns_.push_back({static_cast<std::size_t>(&time - header.data()), 1});
    if (time.unit && !(time.unit->dimension == Dimension::time()))
      return {bad_data(fmt::format("the times, `{}`, are not in a unit of time", shown(time.whole)), time.place,
                       time.whole.find_first_of(";\t") != std::string::npos
                           ? "cells are separated by commas, and numbers have a point: 0.25"
                           : "the times are in the column `time`, else in the first one")};
    if (time.unit) columns_.front().factor = time.unit->factor;
    for (const std::string& name : wanted)
      if (Diagnostics problems = find_column(header, name); !problems.empty()) return problems;
    return data_.columns.empty() && !wanted.empty() ? Diagnostics{none_of(header, wanted)} : Diagnostics{};
  }

  // A file need not have all columns: other files may.
  Diagnostics find_column(const std::vector<CsvName>& header, const std::string& name) {
    const CsvName* found = nullptr;
    for (const CsvName& cell : header) {
      if (cell.whole != name && cell.name != name) continue;
      if (found != nullptr)
        return {bad_data(fmt::format("`{}` has two columns `{}`", path_, name), cell.place, "give one another name")};
      found = &cell;
    }
    if (found == nullptr) return {};
    const Unit unit = found->unit.value_or(Unit{});
    columns_.push_back({static_cast<std::size_t>(found - header.data()), unit.factor});
    data_.columns.push_back({name, {}, found->unit ? std::optional(unit.dimension) : std::nullopt, found->place});
    return {};
  }

  Diagnostic none_of(const std::vector<CsvName>& header, const std::vector<std::string>& wanted) {
    Diagnostic problem =
        bad_data(fmt::format("`{}` has no column {}", path_, join_words(wanted, "`", "or")), reader_.line(), "");
    std::vector<std::string> names;
    for (const CsvName& cell : header) names.push_back(cell.name);
    if (const auto near = nearest(wanted.front(), names))
      problem.help.push_back(fmt::format("did you mean `{}`?", *near));
    else if (names.size() > 1 && names.size() <= kMostColumnsNamed)
      problem.help.push_back(fmt::format("its columns are {}", join_words(names)));
    else
      problem.help.emplace_back("its first line names the columns, with commas between them");
    return problem;
  }

  Diagnostics read_row(const std::vector<CsvField>& fields) {
    if (fields.size() != count_)
      return {bad_data(fmt::format("this line has {} cells, the header has {}", fields.size(), count_), reader_.line(),
                       "every line has a cell for each name of the header; an empty one is no sample")};
    std::vector<double> row;
    for (const ReadColumn& column : columns_) {
      const CsvField& field = fields[column.index];
      const std::optional<double> value = cell_value(field.text);
      if (!value) return {bad_cell(field)};
      row.push_back(*value * column.factor);
    }
    const CsvField& at = fields[columns_.front().index];
    if (std::isnan(row.front()))
      return {bad_data("this line has no time", {source_, at.begin, std::max(at.end, at.begin + 1)},
                       "leave the line out, or write its time")};
    if (!data_.time.empty() && row.front() < data_.time.back())
      return {bad_data("the times go back", reader_.place(at), "one file is one run; sort its lines by time",
                       fmt::format("the time before is {} s", to_text(data_.time.back(), 9)))};
    data_.time.push_back(row.front());
    data_.places.push_back(at.begin);
    for (std::size_t k = 0; k < data_.columns.size(); ++k) data_.columns[k].values.push_back(row[k + 1]);
    return {};
  }

  Diagnostic bad_cell(const CsvField& field) const {
    const bool comma = field.text.find(',') != std::string::npos || field.text.find(';') != std::string::npos;
    return bad_data(field.text.size() <= kLongestCell
                        ? fmt::format("`{}` is not a number", shown(field.text))
                        : fmt::format("a cell of {} characters is not a number", field.text.size()),
                    {source_, field.begin, std::max(field.end, field.begin + 1)},
                    comma ? "cells are separated by commas, and numbers have a point: 0.25"
                          : "an empty cell or `nan` is no sample; the unit is in the header, `theta [deg]`");
  }

  struct ReadColumn {
    std::size_t index = 0;
    double factor = 1;
  };
  SourcePtr source_;
  CsvReader reader_;
  const std::string& path_;
  FitData data_;
  std::size_t count_ = 0;
  std::vector<ReadColumn> columns_;  // the times, then those of data_
};

}  // namespace

Result<FitData> read_fit_data(const std::string& path, const FitRequest& request) {
  const Result<SourcePtr> source = read_file(path);
  if (!source) return source.diagnostics();
  return DataReader(*source, path).read(wanted_columns(request));
}

}  // namespace dalembert
