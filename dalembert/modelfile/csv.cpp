// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/csv.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/file.h"
#include "dalembert/base/text.h"

namespace dalembert::modelfile {
namespace {

Diagnostic with_help(Diagnostic problem, std::string help) {
  problem.help.push_back(std::move(help));
  return problem;
}

constexpr std::size_t kMostCells = 100'000;  // limit on the cells of a line; more are not read
constexpr std::size_t kLongestName = 60;     // limit in characters on a column name or number that a message shows

// A place that is not empty, for a cell that may be.
Span place_of(const SourcePtr& source, const CsvField& cell) {
  return {source, cell.begin, std::max(cell.end, cell.begin + 1)};
}

bool is_empty_line(const std::vector<CsvField>& cells) { return cells.size() == 1 && cells[0].text.empty(); }

// A cell as a finite number in SI.
Result<double> number_in(const SourcePtr& source, const CsvField& cell, double factor) {
  const bool short_enough = cell.text.size() <= kLongestName;
  const std::string shown_cell =
      short_enough ? fmt::format("`{}`", cell.text) : fmt::format("a cell of {} characters", cell.text.size());
  const auto number = parse_double(cell.text);
  if (!number)
    return with_help(error("E0505", shown_cell + " is not a number", place_of(source, cell)),
                     "samples are numbers in SI, or in the unit that the header states, with a point: 0.25 or 2.5e-1");
  const double value = factor == 1 ? *number : *number * factor;
  if (std::isfinite(*number) && !std::isfinite(value))
    return with_help(error("E0505", shown_cell + " is too large for a number in SI", place_of(source, cell)),
                     "the header states the unit; numbers in SI are below 1.8e308");
  return value;
}

}  // namespace

Result<Samples> SampleFiles::read(const std::string& path, const std::string& column, const Span& file_place,
                                  const Span& column_place) {
  auto found = files_.find(path);
  if (found == files_.end()) {
    auto read = read_text(path, "E0502", file_place);
    if (!read) {
      Diagnostics problems = read.diagnostics();
      problems.front().help.push_back(
          "samples are a CSV file with a column `time`; a name without a leading `/` is looked for beside the model");
      return problems;
    }
    SourcePtr source = make_source(path, std::move(read).value());
    if (!bytes_.spend(static_cast<std::int64_t>(source->text().size())))
      return error("E0502",
                   fmt::format("the tables of this model are larger than {} MB together", bytes_.limit() >> 20),
                   file_place, "this file exceeds the limit");
    found = files_.emplace(path, File{.source = std::move(source)}).first;
    read_header(found->second);
  }
  File& file = found->second;
  const Result<Columns> columns = columns_of(file, column, column_place);
  if (!columns) return columns.diagnostics();
  if (++file.asked == 2) read_all(file);
  std::optional<Samples> known = known_samples(file, *columns);
  Result<Samples> samples = known ? Result<Samples>(*std::move(known)) : read_column(file, *columns, file_place);
  if (!samples) return samples;
  const Name& name = file.header[columns->value.index];
  if (name.unit) samples->dimension = name.unit->dimension;
  samples->place = name.place;
  return samples;
}

void SampleFiles::read_header(File& file) {
  CsvReader reader(file.source, kMostCells);
  std::vector<CsvField> cells;
  reader.next(cells);
  for (const CsvField& cell : cells) {
    const Result<CsvName> read = read_csv_name(cell, reader.place(cell));
    Name& name = file.header.emplace_back(read ? Name{*read, {}} : Name{{cell.text, cell.text}, read.diagnostics()});
    if (!read) name.name.resize(name.name.rfind(" ["));  // the column is found, and its unit then refused
    name.place = place_of(file.source, cell);
  }
}

// The place in the header of the column that is called so, with its unit or without; the number of columns if none is.
Result<std::size_t> SampleFiles::find_column(const File& file, const std::string& column) {
  std::size_t found = file.header.size();
  // What is written so is meant, also where another column is called so with a unit.
  const bool whole = std::ranges::find(file.header, column, &Name::whole) != file.header.end();
  for (std::size_t i = 0; i < file.header.size(); ++i) {
    const Name& name = file.header[i];
    if ((whole ? name.whole : name.name) != column) continue;
    if (found < file.header.size())
      return with_help(error("E0503", fmt::format("{} has two columns `{}`", file.source->name(), column), name.place),
                       "give one another name");
    found = i;
  }
  return found;
}

Diagnostic SampleFiles::no_column(const File& file, const std::string& column, const Span& place) {
  // A message shows column names only if the first line looks like a header of names, because the file may be any file.
  std::vector<std::string> names;
  for (const Name& name : file.header) names.push_back(name.name);
  const bool named = names.size() > 1 && std::ranges::all_of(names, [](const std::string& name) {
                       return name.size() <= kLongestName && shown(name) == name;
                     });
  Diagnostic problem = error("E0503", fmt::format("{} has no column `{}`", file.source->name(), column), place);
  if (!named)
    return with_help(std::move(problem),
                     "its first line must name the columns, with commas between them, `time` among them");
  if (const auto similar = nearest(column, names))
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  else if (names.size() <= 12)
    problem.help.push_back(fmt::format("its columns are {}", join_words(names)));
  return problem;
}

Result<SampleFiles::Columns> SampleFiles::columns_of(const File& file, const std::string& column, const Span& place) {
  const Result<std::size_t> value = find_column(file, column), time = find_column(file, "time");
  for (const Result<std::size_t>* one : {&value, &time})
    if (!*one) return one->diagnostics();
  if (*value == file.header.size()) return no_column(file, column, place);
  const std::size_t first = *time < file.header.size() ? *time : 0;
  for (const std::size_t i : {first, *value})
    if (!file.header[i].problems.empty()) return file.header[i].problems;
  const auto in_use = [&](std::size_t i) { return Column{i, file.header[i].unit.value_or(Unit{}).factor}; };
  const Name& times = file.header[first];
  if (times.unit && !(times.unit->dimension == Dimension::time()))
    return with_help(
        error("E0203", fmt::format("the times, `{}`, are not in a unit of time", shown(times.whole)), times.place),
        "the times are in the column `time`, else in the first one");
  return Columns{in_use(first), in_use(*value)};
}

Result<Samples> SampleFiles::read_column(const File& file, const Columns& columns, const Span& file_place) {
  CsvReader reader(file.source, kMostCells);
  std::vector<CsvField> cells;
  reader.next(cells);
  const std::size_t width = file.header.size();
  Samples samples;
  while (reader.next(cells)) {
    if (is_empty_line(cells)) continue;
    while (cells.size() > width && cells.back().text.empty()) cells.pop_back();  // a comma at the end of the line
    if (cells.size() > width || cells.size() <= std::max(columns.time.index, columns.value.index))
      return with_help(error("E0505", fmt::format("this line has {} cells, the header has {}", cells.size(), width),
                             cells.size() > width ? place_of(file.source, cells[width]) : reader.line()),
                       "every line has a cell for each name of the header");
    const CsvField& at = cells[columns.time.index];
    const Result<double> time = number_in(file.source, at, columns.time.factor);
    if (!time) return time.diagnostics();
    if (!samples.time.empty() && *time <= samples.time.back())
      return with_help(error("E0504", "the times do not ascend", reader.place(at),
                             fmt::format("the time before is {} s", to_text(samples.time.back()))),
                       "sort the lines by time, and say each time once");
    const Result<double> value = number_in(file.source, cells[columns.value.index], columns.value.factor);
    if (!value) return value.diagnostics();
    samples.time.push_back(*time);
    samples.value.push_back(*value);
  }
  if (samples.time.empty()) return error("E0504", fmt::format("{} has no samples", file.source->name()), file_place);
  return samples;
}

// Once for all columns: a file of many columns is not read again for each of them.
void SampleFiles::read_all(File& file) {
  CsvReader reader(file.source, kMostCells);
  std::vector<CsvField> cells;
  reader.next(cells);
  while (reader.next(cells)) {
    if (is_empty_line(cells)) continue;
    file.regular = file.regular && cells.size() <= file.header.size();
    for (std::size_t i = 0; i < file.header.size(); ++i)
      file.numbers.push_back(i < cells.size()
                                 ? parse_double(cells[i].text).value_or(std::numeric_limits<double>::quiet_NaN())
                                 : std::numeric_limits<double>::quiet_NaN());
  }
}

// Nothing where something is wrong with the columns: read_column() says what and where.
std::optional<Samples> SampleFiles::known_samples(const File& file, const Columns& columns) {
  if (file.numbers.empty() || !file.regular) return std::nullopt;
  Samples samples;
  for (std::size_t row = 0; row < file.numbers.size(); row += file.header.size()) {
    const double t = file.numbers[row + columns.time.index] * columns.time.factor;
    const double x = file.numbers[row + columns.value.index] * columns.value.factor;
    if (!std::isfinite(t) || !std::isfinite(x) || (row > 0 && t <= samples.time.back())) return std::nullopt;
    samples.time.push_back(t);
    samples.value.push_back(x);
  }
  return samples;
}

}  // namespace dalembert::modelfile
