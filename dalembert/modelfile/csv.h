// SPDX-License-Identifier: Apache-2.0
// Samples of inputs from CSV files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/work.h"

namespace dalembert::modelfile {

struct Samples {
  std::vector<double> time;  ///< times in s, strictly ascending
  std::vector<double> value;
};

/// The files of the inputs of a model. Each is read once, however many of its columns are asked for.
class SampleFiles {
 public:
  /// Reads the column `column`, and the times from the column `time` or else from the first column. The header is one row of names. Errors at
  /// the given places, or inside the file: E0502 (unreadable, or more than 512 MB with the other files), E0503 (no such column), E0505 (not a
  /// number), E0504 (times do not ascend, or no samples).
  Result<Samples> read(const std::string& path, const std::string& column, const Span& file_place,
                       const Span& column_place);

 private:
  struct File {
    SourcePtr source;
    int asked = 0;                         // how many columns were asked for
    std::vector<std::string> header = {};  // from the second one on
    std::vector<double> numbers = {};      // then also all cells, a row after the other; NaN where there is no number
  };
  static void read_all(File& file);
  static std::optional<Samples> known_samples(const File& file, const std::string& column);

  std::unordered_map<std::string, File> files_;
  WorkMeter bytes_{std::int64_t{512} << 20};
};

}  // namespace dalembert::modelfile
