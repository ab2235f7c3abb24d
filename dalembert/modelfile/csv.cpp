// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/csv.h"

#include <algorithm>

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

}  // namespace

Result<Samples> read_samples(const std::string& path, const std::string& column, const Span& file_place,
                             const Span& column_place, WorkMeter& bytes) {
  auto read = read_text(path, "E0502", file_place);
  if (!read) {
    Diagnostics problems = read.diagnostics();
    problems.front().help.push_back(
        "samples are a CSV file with a column `time`; a name without a leading `/` is looked for beside the model");
    return problems;
  }
  const SourcePtr source = make_source(path, std::move(read).value());
  if (!bytes.spend(static_cast<std::int64_t>(source->text().size())))
    return error("E0502", fmt::format("the tables of this model are larger than {} MB together", bytes.limit() >> 20),
                 file_place, "this file exceeds the limit");
  CsvReader reader(source, kMostCells);
  std::vector<CsvField> header, cells;
  reader.next(header);

  std::size_t time_column = 0, value_column = header.size();
  for (std::size_t i = header.size(); i-- > 0;) {
    if (header[i].text == "time") time_column = i;
    if (header[i].text == column) value_column = i;
  }
  if (value_column == header.size()) return no_column(path, column, header, column_place);

  Samples samples;
  while (reader.next(cells)) {
    if (cells.size() == 1 && cells[0].text.empty()) continue;
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
  if (samples.time.empty()) return error("E0504", fmt::format("{} has no samples", path), file_place);
  return samples;
}

}  // namespace dalembert::modelfile
