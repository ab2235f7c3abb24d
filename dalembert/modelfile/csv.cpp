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

Diagnostic no_column(const std::string& path, const std::string& column, const std::vector<CsvField>& header,
                     const Span& place) {
  // A message shows column names only if the first line looks like a header of names, because the file may be any file.
  std::vector<std::string> names;
  for (const CsvField& cell : header) names.emplace_back(cell.text);
  const bool named = names.size() > 1 && std::ranges::all_of(names, [](const std::string& name) {
                       return name.size() <= kLongestName && shown(name) == name;
                     });
  Diagnostic problem = error("E0503", fmt::format("{} has no column `{}`", path, column), place);
  if (!named)
    return with_help(std::move(problem),
                     "its first line must name the columns, with commas between them, `time` among them");
  if (const auto similar = nearest(column, names))
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  else if (names.size() <= 12)
    problem.help.push_back(fmt::format("its columns are {}", join_words(names)));
  return problem;
}

// The columns of the times and of the values; the second is the number of columns where no column has that name.
struct Columns {
  std::size_t time = 0, value = 0;
};

Columns columns_of(const std::vector<std::string>& header, const std::string& column) {
  Columns found{0, header.size()};
  for (std::size_t i = header.size(); i-- > 0;) {
    if (header[i] == "time") found.time = i;
    if (header[i] == column) found.value = i;
  }
  return found;
}

std::vector<std::string> texts_of(const std::vector<CsvField>& cells) {
  std::vector<std::string> texts;
  for (const CsvField& cell : cells) texts.push_back(cell.text);
  return texts;
}

bool is_empty_line(const std::vector<CsvField>& cells) { return cells.size() == 1 && cells[0].text.empty(); }

Result<Samples> read_column(const SourcePtr& source, const std::string& column, const Span& file_place,
                            const Span& column_place) {
  CsvReader reader(source, kMostCells);
  std::vector<CsvField> header, cells;
  reader.next(header);
  const auto [time_column, value_column] = columns_of(texts_of(header), column);
  if (value_column == header.size()) return no_column(source->name(), column, header, column_place);

  Samples samples;
  while (reader.next(cells)) {
    if (is_empty_line(cells)) continue;
    for (const std::size_t i : {time_column, value_column}) {
      if (i >= cells.size())
        return with_help(
            error("E0505", fmt::format("this line has {} cells, the header has {}", cells.size(), header.size()),
                  reader.line()),
            "every line has a cell for each name of the header");
      const auto number = parse_double(cells[i].text);
      if (!number)
        return with_help(error("E0505",
                               cells[i].text.size() <= kLongestName
                                   ? fmt::format("`{}` is not a number", cells[i].text)
                                   : fmt::format("a cell of {} characters is not a number", cells[i].text.size()),
                               {source, cells[i].begin, std::max(cells[i].end, cells[i].begin + 1)}),
                         "samples are numbers in SI, with a point: 0.25 or 2.5e-1");
      if (i == time_column && !samples.time.empty() && *number <= samples.time.back())
        return with_help(error("E0504", "the times do not ascend", reader.place(cells[i]),
                               fmt::format("the time before is {}", to_text(samples.time.back()))),
                         "sort the lines by time, and say each time once");
      if (i == time_column) samples.time.push_back(*number);
      if (i == value_column) samples.value.push_back(*number);
    }
  }
  if (samples.time.empty()) return error("E0504", fmt::format("{} has no samples", source->name()), file_place);
  return samples;
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
  }
  File& file = found->second;
  if (++file.asked == 2) read_all(file);
  if (std::optional<Samples> known = known_samples(file, column)) return *std::move(known);
  return read_column(file.source, column, file_place, column_place);
}

// Once for all columns: a file of many columns is not read again for each of them.
void SampleFiles::read_all(File& file) {
  CsvReader reader(file.source, kMostCells);
  std::vector<CsvField> cells;
  reader.next(cells);
  file.header = texts_of(cells);
  while (reader.next(cells)) {
    if (is_empty_line(cells)) continue;
    for (std::size_t i = 0; i < file.header.size(); ++i)
      file.numbers.push_back(i < cells.size()
                                 ? parse_double(cells[i].text).value_or(std::numeric_limits<double>::quiet_NaN())
                                 : std::numeric_limits<double>::quiet_NaN());
  }
}

// Nothing where something is wrong with the column: read_column() says what and where.
std::optional<Samples> SampleFiles::known_samples(const File& file, const std::string& column) {
  const std::size_t width = file.header.size();
  const auto [time, value] = columns_of(file.header, column);
  if (value == width || file.numbers.empty()) return std::nullopt;
  Samples samples;
  for (std::size_t row = 0; row < file.numbers.size(); row += width) {
    const double t = file.numbers[row + time], x = file.numbers[row + value];
    if (std::isnan(t) || std::isnan(x) || (row > 0 && t <= samples.time.back())) return std::nullopt;
    samples.time.push_back(t);
    samples.value.push_back(x);
  }
  return samples;
}

}  // namespace dalembert::modelfile
