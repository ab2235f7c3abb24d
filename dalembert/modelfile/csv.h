// SPDX-License-Identifier: Apache-2.0
// Samples of inputs from CSV files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/base/csv.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/work.h"

namespace dalembert::modelfile {

struct Samples {
  std::vector<double> time;                 ///< times in s, strictly ascending
  std::vector<double> value;                ///< in SI
  std::optional<Dimension> dimension = {};  ///< of the values, where the header states their unit, at `place`
  Span place = {};
};

/// The files of the inputs of a model. Each is read once, however many of its columns are asked for.
class SampleFiles {
 public:
  /// Reads the column `column`, and the times from the column `time` or else from the first column. The header is one row of names, each
  /// perhaps with a unit: `time [ms],f [kN]`. Errors at the given places, or inside the file: E0502 (unreadable, or more than 512 MB with the
  /// other files), E0503 (no such column, or several), E0505 (not a number, too few or too many cells), E0504 (times do not ascend, or no
  /// samples), E0203 (times in no unit of time), and those of parse_unit().
  Result<Samples> read(const std::string& path, const std::string& column, const Span& file_place,
                       const Span& column_place);

 private:
  struct Name : CsvName {
    Diagnostics problems;  // of its unit
  };
  struct File {
    SourcePtr source;
    int asked = 0;  // how many columns were asked for
    std::vector<Name> header = {};
    bool regular = true;               // no line has more cells than the header; known from the second column on
    std::vector<double> numbers = {};  // then also all cells, a row after the other; NaN where there is no number
  };
  // A column in use: `number` times `factor` is in SI.
  struct Column {
    std::size_t index = 0;
    double factor = 1;
  };
  struct Columns {
    Column time, value;
  };
  static void read_header(File& file);
  static Result<std::size_t> find_column(const File& file, const std::string& column);
  static Diagnostic no_column(const File& file, const std::string& column, const Span& place);
  static Result<Columns> columns_of(const File& file, const std::string& column, const Span& place);
  static Result<Samples> read_column(const File& file, const Columns& columns, const Span& file_place);
  static void read_all(File& file);
  static std::optional<Samples> known_samples(const File& file, const Columns& columns);

  std::unordered_map<std::string, File> files_;
  WorkMeter bytes_{std::int64_t{512} << 20};
};

}  // namespace dalembert::modelfile
