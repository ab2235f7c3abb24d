// SPDX-License-Identifier: Apache-2.0
// The finished file of a study: CSV or NetCDF-4, as its name says, written from rows in order of their index.
//
// In a NetCDF file the dimensions are the varied quantities, then `sample` or `run`. A varied quantity is a coordinate variable; other
// quantities, the measures and `error` are numbers, `holds` is a truth, `status` has characters, `reason` texts. Attributes: `units`;
// `role` (`quantity` or `measure`); of the file `model`, `study`, `program`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/sweep/study_head.h"

namespace dalembert::sweeping {

/// Takes a row as a line of CSV without its line end; false if no more is wanted.
using TakeRow = std::function<bool(std::string_view row)>;
/// Gives all rows, in order of their index, until one is not taken; false if the rows are not those of the study.
using RowSource = std::function<bool(const TakeRow& take)>;

/// Writes the file, by way of a temporary one that is renamed at the end. If `rows` returns false, there is neither a file nor an error.
/// Errors: E0501, E0510; E0426 for names that a NetCDF file cannot have.
Diagnostics write_study(const std::string& path, const StudyHead& head, const RowSource& rows);

/// What is wrong with an output before a run is made: E0426 and E0510, of a NetCDF file.
Diagnostics check_output(const std::string& path, const StudyHead& head);

/// Whether a line is the header row of a study.
bool is_study_header(std::string_view header);
/// The head of a CSV file with that header row: from its log, or, if that is not there, with names alone, all of kind kMeasure.
StudyHead head_of_csv(const std::string& path, std::string_view header);

/// A row of a study, valid until the next one is read.
struct StudyLine {
  std::int64_t index = 0;
  std::vector<double> values;  ///< of all columns
  bool holds = false;
  std::string status, reason;
  double error = 0;
};

/// Reads a line of CSV into `line`; false if it is no row with so many columns of quantities and measures.
bool read_study_line(std::string_view row, std::size_t columns, StudyLine& line);

/// Reads a finished file of a study, row by row in order of the index; `take` returns false if it wants no more. Errors: E0502, E0510.
Diagnostics visit_study(const std::string& path, const std::function<void(const StudyHead& head)>& begin,
                        const std::function<bool(const StudyLine& line)>& take);

/// Where a study is read from, once or several times: a finished file, or rows in memory.
class StudySource {
 public:
  using Begin = std::function<void(const StudyHead& head)>;
  using Take = std::function<bool(const StudyLine& line)>;

  StudySource(std::string path);
  StudySource(StudyHead head, std::vector<StudyLine> lines);
  /// The path, or "the study".
  const std::string& name() const { return name_; }
  /// As visit_study().
  Diagnostics visit(const Begin& begin, const Take& take) const;

 private:
  std::string name_;
  StudyHead head_;
  std::vector<StudyLine> lines_;
  bool in_memory_ = false;
};

}  // namespace dalembert::sweeping
