// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/study_head.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/source.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/sweep/row_files.h"

namespace dalembert::sweeping {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"vary", "sample", "run", "measure"};

std::int64_t whole(std::string_view text) { return static_cast<std::int64_t>(parse_double(text).value_or(0)); }

// Reads `# study IDENTITY runs 22 shard 1/1`.
StudyMark mark_in(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" /"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (words.size() != 8 || words[1] != "study") return {};
  return {words[2], whole(words[4]), whole(words[6]), whole(words[7])};
}

// Reads one of the other lines.
void read_line(std::string_view line, StudyHead& head) {
  CsvReader reader(make_source("log", std::string(line.substr(std::min<std::size_t>(2, line.size())))));
  std::vector<CsvField> fields;
  if (!reader.next(fields) || fields.size() < 2) return;
  const std::string& word = fields[0].text;
  if (word == "model") head.model = fields[1].text;
  if (word == "program") head.program = fields[1].text;
  const auto kind = std::ranges::find(kKinds, word);
  if (kind == kKinds.end() || fields.size() < 3) return;
  head.columns.push_back({fields[1].text, fields[2].text, static_cast<StudyColumn::Kind>(kind - kKinds.begin()),
                          fields.size() > 3 ? whole(fields[3].text) : 0});
}

}  // namespace

std::string StudyMark::text() const {
  return fmt::format("# study {} runs {} shard {}/{}", identity, runs, shard, shards);
}

std::string StudyHead::text() const {
  std::string text = mark.text() + "\n";
  text += fmt::format("# model,{}\n# program,{}\n", csv_quote(model), csv_quote(program));
  for (const StudyColumn& column : columns) {
    text += fmt::format("# {},{},{}", kKinds[static_cast<std::size_t>(column.kind)], csv_quote(column.name),
                        csv_quote(column.unit));
    text += column.kind == StudyColumn::Kind::kVaried ? fmt::format(",{}\n", column.count) : "\n";
  }
  return text;
}

std::string StudyHead::csv_header() const {
  std::string text = "index";
  for (const StudyColumn& column : columns) text += "," + csv_quote(column.name);
  return text + ",holds,status,error,reason";
}

std::vector<std::int64_t> StudyHead::shape() const {
  std::vector<std::int64_t> shape;
  std::int64_t points = 1;
  for (const StudyColumn& column : columns)
    if (column.kind == StudyColumn::Kind::kVaried)
      points *= shape.emplace_back(std::max<std::int64_t>(1, column.count));
  if (!last_dimension().empty()) shape.push_back(mark.runs / points);
  return shape;
}

std::string_view StudyHead::last_dimension() const {
  const auto has = [&](StudyColumn::Kind kind) {
    return std::ranges::find(columns, kind, &StudyColumn::kind) != columns.end();
  };
  return has(StudyColumn::Kind::kSampled) ? "sample" : has(StudyColumn::Kind::kVaried) ? "" : "run";
}

StudyHead read_head(const std::string& output) {
  RowFile log(name_with_ending(output, ".log"));
  StudyHead head;
  if (!log.open() || !log.next_line()) return head;
  head.mark = mark_in(log.line());
  while (!head.mark.identity.empty() && log.next_line() && log.line().starts_with('#')) read_line(log.line(), head);
  return head;
}

bool is_netcdf_path(std::string_view path) { return path.ends_with(".nc"); }

}  // namespace dalembert::sweeping
