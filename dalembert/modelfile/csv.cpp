// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/csv.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/file.h"
#include "dalembert/base/text.h"

namespace dalembert::modelfile {
namespace {

struct Cell {
  std::string_view text;
  std::uint32_t begin = 0, end = 0;
};

constexpr std::size_t kMostCells = 100'000;  // of a line; more are not read

// Cells of the line that starts at `at`, which moves to the next line. Quotes around a cell are taken off.
std::vector<Cell> read_line(const std::string& text, std::size_t& at) {
  std::vector<Cell> cells;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::size_t from = at;
  while (from <= end) {
    std::size_t to = std::min(text.find(',', from), end);
    std::size_t first = from, last = to;
    const auto blank = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\t' || text[i] == '\r'; };
    while (first < last && blank(first)) ++first;
    while (last > first && blank(last - 1)) --last;
    if (last - first >= 2 && text[first] == '"' && text[last - 1] == '"') ++first, --last;
    if (cells.size() == kMostCells) break;
    cells.push_back({std::string_view(text).substr(first, last - first), static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(last)});
    from = to + 1;
  }
  at = end + 1;
  return cells;
}

Diagnostic no_column(const std::string& path, const std::string& column, const std::vector<Cell>& header,
                     const Span& place) {
  std::vector<std::string> names;
  for (const Cell& cell : header) names.emplace_back(cell.text);
  Diagnostic problem = error("E0503", fmt::format("{} has no column `{}`", path, column), place);
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
  if (!read) return read.diagnostics();
  const SourcePtr source = make_source(path, std::move(read).value());
  const std::string& text = source->text();
  if (!bytes.spend(static_cast<std::int64_t>(text.size())))
    return error("E0502", fmt::format("the tables of this model are larger than {} MB together", bytes.limit() >> 20),
                 file_place, "this one is too much");
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::vector<Cell> header = read_line(text, at);

  std::size_t time_column = 0, value_column = header.size();
  for (std::size_t i = header.size(); i-- > 0;) {
    if (header[i].text == "time") time_column = i;
    if (header[i].text == column) value_column = i;
  }
  if (value_column == header.size()) return no_column(path, column, header, column_place);

  Samples samples;
  while (at < text.size()) {
    const std::size_t line_start = at;
    const std::vector<Cell> cells = read_line(text, at);
    if (cells.size() == 1 && cells[0].text.empty()) continue;
    const Span line{source, static_cast<std::uint32_t>(line_start),
                    static_cast<std::uint32_t>(std::min(at - 1, text.size()))};
    for (const std::size_t i : {time_column, value_column}) {
      if (i >= cells.size())
        return error("E0505", fmt::format("this line has {} cells, the header has {}", cells.size(), header.size()),
                     line);
      const auto number = parse_double(cells[i].text);
      if (!number)
        return error("E0505", fmt::format("`{}` is not a number", cells[i].text),
                     {source, cells[i].begin, std::max(cells[i].end, cells[i].begin + 1)});
      if (i == time_column && !samples.time.empty() && *number <= samples.time.back())
        return error("E0504", "the times do not ascend", {source, cells[i].begin, cells[i].end},
                     fmt::format("the time before is {}", to_text(samples.time.back())));
      if (i == time_column) samples.time.push_back(*number);
      if (i == value_column) samples.value.push_back(*number);
    }
  }
  if (samples.time.empty()) return error("E0504", fmt::format("{} has no samples", path), file_place);
  return samples;
}

}  // namespace dalembert::modelfile
