// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/study_output.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/source.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/netcdf.h"
#include "dalembert/study/sweep/row_files.h"
#include "dalembert/study/sweep/study_netcdf.h"

namespace dalembert::sweeping {
namespace {

constexpr std::string_view kLastColumns = ",holds,status,error,reason";

Diagnostic not_a_study(const std::string& path, const std::string& why) {
  Diagnostic problem = error("E0502", fmt::format("`{}` is no file of `dalembert sweep`: {}", path, why));
  problem.help.emplace_back("dalembert sweep MODEL --vary \"L1=0.1:0.3:21\" -o study.csv");
  return problem;
}

Diagnostics visit_csv(const std::string& path, const std::function<void(const StudyHead& head)>& begin,
                      const std::function<bool(const StudyLine& line)>& take) {
  RowFile file(path);
  if (!file.open()) return {error("E0502", fmt::format("cannot read `{}`", path))};
  if (!file.next_line() || !is_study_header(file.line()))
    return {not_a_study(path,
                        "it does not begin with `index`, or its columns do not end with holds, status, error, reason")};
  const StudyHead head = head_of_csv(path, file.line());
  begin(head);
  StudyLine line;
  for (std::int64_t number = 2; file.next_line(); ++number) {
    if (!read_study_line(file.line(), head.columns.size(), line))
      return {not_a_study(path, fmt::format("line {} is no row of numbers, a verdict and a status", number))};
    if (!take(line)) break;
  }
  return {};
}

}  // namespace

bool is_study_header(std::string_view header) { return header.starts_with("index,") && header.ends_with(kLastColumns); }

StudyHead head_of_csv(const std::string& path, std::string_view header) {
  StudyHead head = read_head(path);
  if (head.csv_header() == header) return head;
  // Without a log nothing says what the columns are.
  head.columns.clear();
  CsvReader reader(make_source("header", std::string(header)));
  std::vector<CsvField> fields;
  if (!reader.next(fields)) return head;
  for (std::size_t k = 1; k + 4 < fields.size(); ++k)
    head.columns.push_back({fields[k].text, "", StudyColumn::Kind::kMeasure, 0});
  return head;
}

bool read_study_line(std::string_view row, std::size_t columns, StudyLine& line) {
  const auto next = [&]() -> std::optional<std::string_view> {
    const std::size_t comma = row.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const std::string_view field = row.substr(0, comma);
    row.remove_prefix(comma + 1);
    return field;
  };
  const auto number = [](const std::optional<std::string_view>& text) -> std::optional<double> {
    if (!text) return std::nullopt;
    if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (*text == "inf" || *text == "-inf") return std::copysign(HUGE_VAL, *text == "inf" ? 1.0 : -1.0);
    return parse_double(*text);
  };
  const auto index = number(next());
  if (!index || !(*index >= 0 && *index <= 1e15)) return false;
  line.index = static_cast<std::int64_t>(*index);
  line.values.resize(columns);
  for (double& value : line.values) {
    const auto read = number(next());
    if (!read) return false;
    value = *read;
  }
  const auto holds = next(), status = next();
  const auto own = number(next());
  if (!holds || (*holds != "0" && *holds != "1") || !status || !own) return false;
  line.holds = *holds == "1";
  line.status = *status;
  line.error = *own;
  line.reason = row;
  if (!row.starts_with('"')) return true;
  CsvReader reader(make_source("reason", std::string(row)));
  std::vector<CsvField> fields;
  if (reader.next(fields) && !fields.empty()) line.reason = fields.front().text;
  return true;
}

Diagnostics check_output(const std::string& path, const StudyHead& head) {
  if (!is_netcdf_path(path)) return {};
  if (Diagnostics missing = require_netcdf(path, "write FILE.csv, which needs no other library"); !missing.empty())
    return missing;
  std::vector<std::string> taken{"holds", "status", "error", "reason", std::string(head.last_dimension())};
  for (const StudyColumn& column : head.columns) {
    const bool slash = column.name.find('/') != std::string::npos;
    if (!slash && std::ranges::find(taken, column.name) == taken.end()) {
      taken.push_back(column.name);
      continue;
    }
    Diagnostic problem =
        error("E0426", slash ? fmt::format("a variable of a NetCDF file cannot be called `{}`", column.name)
                             : fmt::format("`{}` would have two meanings in a NetCDF file", column.name));
    problem.help.emplace_back("write FILE.csv, or rename it");
    return {problem};
  }
  return {};
}

Diagnostics write_study(const std::string& path, const StudyHead& head, const RowSource& rows) {
  bool right = true;
  if (!is_netcdf_path(path)) {
    Diagnostics problems = write_file(path, [&](std::ostream& out) {
      out << head.csv_header() << '\n';
      right = rows([&](std::string_view row) { return static_cast<bool>(out << row << '\n'); });
      if (!right) out.setstate(std::ios::failbit);
    });
    return right ? problems : Diagnostics{};
  }
  if (Diagnostics problems = check_output(path, head); !problems.empty()) return problems;
  UnfinishedFile file(path);
  const auto failed = [&](const std::string& why) {
    return Diagnostics{error("E0501", fmt::format("cannot write `{}`: {}", path, why))};
  };
  if (!file.problem().empty()) return failed(file.problem());
  Diagnostics problems =
      write_study_netcdf(file.place(), path, head, [&](const TakeRow& take) { return right = rows(take); });
  if (!right || !problems.empty()) return right ? problems : Diagnostics{};
  if (const std::string why = file.become_final(); !why.empty()) return failed(why);
  return {};
}

Diagnostics visit_study(const std::string& path, const std::function<void(const StudyHead& head)>& begin,
                        const std::function<bool(const StudyLine& line)>& take) {
  return is_netcdf_path(path) ? visit_study_netcdf(path, begin, take) : visit_csv(path, begin, take);
}

StudySource::StudySource(std::string path) : name_(std::move(path)) {}
StudySource::StudySource(StudyHead head, std::vector<StudyLine> lines)
    : name_("the study"), head_(std::move(head)), lines_(std::move(lines)), in_memory_(true) {}

Diagnostics StudySource::visit(const Begin& begin, const Take& take) const {
  if (!in_memory_) return visit_study(name_, begin, take);
  begin(head_);
  for (const StudyLine& line : lines_)
    if (!take(line)) break;
  return {};
}

}  // namespace dalembert::sweeping
